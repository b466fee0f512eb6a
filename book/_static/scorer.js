// What the search finds first: headings, in any chapter, that hold the words; then names of the package and of the
// glossary; then pages that hold the words anywhere. The builder puts this before its own search script, whose
// rule for headings ("at least half of the heading was typed") would miss those that say what they hold.
var Scorer = {
  score: ([, , anchor, description, score]) => score + (anchor && description ? 5 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};

const HeadingSearch = {
  words: (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [],

  // Whether a word of the heading is the word that was asked for, in any of its forms, or begins with it.
  holds: (heading, asked, stem) =>
    heading.some((word) => stem(word) === stem(asked) || (asked.length > 2 && word.startsWith(asked))),

  // 0 for a heading that does not match; else more for a better match.
  score(title, page, asked, stem) {
    const heading = HeadingSearch.words(title);
    const around = HeadingSearch.words(page);
    const here = asked.filter((word) => HeadingSearch.holds(heading, word, stem));
    if (!here.length) return 0;
    const elsewhere = asked.filter((word) => !here.includes(word));
    if (!elsewhere.every((word) => HeadingSearch.holds(around, word, stem))) return 0;
    let score = elsewhere.length ? 100 : 200;
    const together = heading.join(" ").indexOf(asked.join(" "));
    if (together >= 0) score += together === 0 ? 60 : 40;
    if (title === page) score += 20;
    return score - Math.min(heading.length, 15);
  },

  // Results in the builder's form: [docname, title, anchor, description, score, filename].
  find(index, query, stem) {
    const asked = HeadingSearch.words(query);
    if (!asked.length) return [];
    const found = [];
    for (const [title, places] of Object.entries(index.alltitles)) {
      for (const [file, id] of places) {
        const page = index.titles[file];
        let score = HeadingSearch.score(title, page, asked, stem);
        // A chapter explains; the pages of the reference are for those who know.
        if (score && /(^|\/)\d\d_/.test(index.docnames[file])) score += 300;
        if (score && id === null && title !== page) score -= 90; // the title of a question, not a heading
        const name = title === page ? title : `${page} > ${title}`;
        const anchor = id === null ? "" : `#${id}`;
        if (score) found.push([index.docnames[file], name, anchor, null, score, index.filenames[file]]);
      }
    }
    return found.sort((one, other) => one[4] - other[4] || other[1].localeCompare(one[1]));
  },
};

// The builder's script may stand before this one or after it. Results stand in rising order, the best one last.
function searchHeadingsFirst() {
  const others = Search._performSearch;
  Search._performSearch = (query, ...rest) => {
    const stemmer = new Stemmer();
    const headings = HeadingSearch.find(Search._index, query, (word) => stemmer.stemWord(word));
    const key = (result) => `${result[0]}${result[2]}`;
    const seen = new Set(headings.map(key));
    return [...others(query, ...rest).filter((result) => !seen.has(key(result))), ...headings];
  };
}
if (typeof Search !== "undefined") searchHeadingsFirst();
else document.addEventListener("DOMContentLoaded", searchHeadingsFirst);
