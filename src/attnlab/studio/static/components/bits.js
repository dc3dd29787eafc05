// Bits per byte, as every list of runs shows them.

export const BITS_PER_BYTE = "How many bits the model needs for each byte of the validation split. Fewer is better. "
  + "Comparable across models and tokenizers, on the same text. > marks a lower bound.";

export const STEPS = "How many batches of the text the model was trained on; 1 for a model that only counts.";

// The number in words; > marks a lower bound, which an older lab measured without the spelling of unknown words.
export const bits = (value, lowerBound) => (value == null ? "" : `${lowerBound ? ">" : ""}${value.toFixed(4)}`);
