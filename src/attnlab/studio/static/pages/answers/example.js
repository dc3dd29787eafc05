// The problem of one's own that the page begins with: that of docs/answers.md.
export const NAME = "difference";
export const TOML = `title = "The difference of two values"
question = "Keys k_i are orthonormal, and c = c_1 - c_2. Give two queries for which c ≈ v_a - v_b."
wanted = "c ≈ v_a - v_b"              # or = for exactly; a list for several
shown_in = "v"                        # write results as sums of v_a, v_b, …
sizes = { n = [3, 2, 6], d = [3, 2, 8] }   # the instances to try, the simplest first
members = { n = ["a", "b"] }          # of the n vectors, the first is called a and the second b
unknowns = { q_1 = "d", q_2 = "d" }   # what is asked for, with its shape: "d", "d×m"

[symbols]                             # what is given, and what an answer may use
k = { is = "orthonormal", shape = "d×n", says = "the keys" }
v = { is = "orthonormal", shape = "d×n", says = "the values" }

[definitions]                         # what follows from the symbols and the answer
c_1 = "v softmax(k^T q_1)"
c_2 = "v softmax(k^T q_2)"
c = "c_1 - c_2"

[[samples]]                           # answers whose verdict you know
answer = "q_1 = C k_a, q_2 = C k_b"
verdict = "holds"

[[samples]]
answer = "q_1 = k_a, q_2 = k_b"
verdict = "fails"
`;
