// The pages, in the order of the navigation. Each has a module of its name in pages/, and a card on the page Home.
export const PAGES = {
  home: { title: "Home" },
  attention: {
    title: "Attention",
    does: "Play with attention",
    about: "Drag keys and a query, add noise, and see the exact distribution of a weight. Can it be done? What helps?",
  },
  train: {
    title: "Train",
    does: "Train a model",
    about: "Choose a text, a model and the minutes. Watch it learn, stop it, let it go on, and compare runs.",
  },
  inside: {
    title: "Inside a model",
    does: "Look inside a model",
    about: "Type a text: what each token costs, what each head attends to, what heads are worth, and what comes next.",
  },
  claims: {
    title: "Claims",
    does: "Test claims",
    about: "Statements about attention and language models. Run each with a seed of your own, and see the evidence.",
  },
  reviews: {
    title: "Reviews",
    does: "Read reviews",
    about: "Type a review, see how far each word pushes a classifier, and turn its answer by an edit.",
  },
  knowledge: {
    title: "Knowledge",
    does: "Ask what a model knows",
    about: "The people of a world, what a model recites about them, and what it makes up about strangers.",
  },
  answers: {
    title: "Answers",
    does: "Check answers",
    about: "Type a formula as an answer: is it right, why not, what corrects it? Write a problem, or grade a class.",
  },
};
