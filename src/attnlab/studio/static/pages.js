// The pages, in the order of the navigation. Each has a module of its name in pages/, and a card on the page Home.
export const PAGES = {
  home: { title: "Home" },
  claims: {
    title: "Claims",
    does: "Test claims",
    about: "Statements about attention and language models. Run each with a seed of your own, and see the evidence.",
  },
};
