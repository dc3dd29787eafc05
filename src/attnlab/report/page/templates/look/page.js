// The page of `heads look`: it carries the weights in elements of its own.
{% include "look/heads_map.js" %}

const carries = (name) => byId(`head-${name}`);
const all = JSON.parse(byId("data").textContent);
showHeads(all, { small: byId("small").textContent, head: (name) => carries(name).textContent },
  { start: all.heads.find(carries) });
