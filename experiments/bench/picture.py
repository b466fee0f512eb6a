"""The picture of a benchmark, from its JSON alone."""

COLORS = {"reached": "#1b7f5c", "missed": "#b3322b"}


def draw(record, path):
    """Each ratio on a log axis with its middle half, and its goal as a bar; an SVG."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    rows = record["rows"][::-1]
    figure = Figure((10, 0.24 * len(rows) + 1.2), layout="constrained")
    FigureCanvasSVG(figure)
    axes = figure.add_subplot()
    for place, row in enumerate(rows):
        color = COLORS.get(row["verdict"], "#44546a")
        axes.plot((row["low"], row["high"]), (place, place), color=color, linewidth=2)
        axes.plot(row["ratio"], place, "o", color=color, markersize=4)
        if row["goal"] is not None:
            axes.plot(row["goal"], place, "|", color="black", markersize=9)
    names = [f"{row['name']} | {row['peer']}" for row in rows]
    axes.set_yticks(range(len(rows)), names, fontsize=7)
    axes.set(xscale="log", xlabel="our time / the peer's; the bar is the goal")
    axes.axvline(1, color="black", linewidth=0.5)
    axes.grid(axis="x", linewidth=0.3)
    machine = record["machine"]
    title = f"{machine['date']}, {machine['device']}, {machine['processor']}"
    axes.set_title(title, fontsize=8)
    figure.savefig(path, format="svg", metadata={"Date": None})
