/* Starts the deck, and makes what is too tall for a slide smaller until it fits. */
const HEIGHT = 720;
const deck = new Reveal({
  width: 1280, height: HEIGHT, margin: 0.05, center: false, hash: true, transition: "none",
  slideNumber: "c/t", controlsLayout: "edges", pdfSeparateFragments: false, plugins: [RevealNotes],
});

function fit(slide) {
  if (!slide || slide.dataset.fitted || slide.querySelector("section")) return;
  for (let zoom = 100; zoom >= 45 && slide.scrollHeight > HEIGHT; zoom -= 5) slide.style.zoom = zoom / 100;
  slide.dataset.fitted = "yes";
}

async function start() {
  await deck.initialize();
  await document.fonts.ready;
  deck.on("slidechanged", (event) => fit(event.currentSlide));
  fit(deck.getCurrentSlide());
  document.documentElement.dataset.ready = "yes";
}

start();
