"""Tables in Markdown, for the tools that write pages."""


def table(header, rows, *, right=()) -> str:
    """A row per entry of rows, its cells as words; right: the headings whose columns stand at the right."""
    rule = ["---:" if word in right else "---" for word in header]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in (header, rule, *rows))
