// What the page asks the server: JSON, and the events of a job. If the server has gone, a banner says so until it is
// back.

import { stream } from "./stream.js";

const RETRY = 1000; // milliseconds between two questions whether the server is back
const GONE = "The server has gone. Start it again with “attnlab studio”, in the same folder; this page then goes on. "
  + "Jobs are not lost.";
const OTHER = "Another studio answers here. Open the address that “attnlab studio” printed.";

export class LabError extends Error {
  constructor(told, status) {
    super(told.error);
    Object.assign(this, { argument: told.argument, file: told.file, status });
  }
}

let waiting = null;

// Resolves once the server answers again.
function serverIsBack() {
  waiting ??= new Promise((resolve) => {
    const banner = document.getElementById("gone");
    banner.textContent = GONE;
    banner.hidden = false;
    const ask = async () => {
      const answer = await fetch("api/home").catch(() => null);
      if (answer === null) return setTimeout(ask, RETRY);
      banner.hidden = answer.ok;
      if (!answer.ok) banner.textContent = OTHER;
      waiting = null;
      resolve();
    };
    setTimeout(ask, RETRY);
  });
  return waiting;
}

async function answerOf(path, options) {
  for (;;) {
    try {
      return await fetch(`api/${path}`, options);
    } catch (error) {
      if (error.name === "AbortError") throw error;
      await serverIsBack();
    }
  }
}

async function ask(path, options) {
  const answer = await answerOf(path, options);
  const told = await answer.json().catch((error) => {
    if (error.name === "AbortError") throw error;
    return { error: `the server answered ${answer.status} without JSON` };
  });
  if (!answer.ok) throw new LabError(told, answer.status);
  return told;
}

export const get = (path, signal) => ask(path, { signal });

export const post = (path, body = {}, signal) =>
  ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal });

// The answer as a file.
export async function postFile(path, body) {
  const headers = { "Content-Type": "application/json" };
  const answer = await answerOf(path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new LabError(await answer.json(), answer.status);
  return answer.blob();
}

// Tell `listener` of a job until it ends, or until `signal` says that nobody looks any more.
export function follow(id, listener, signal) {
  const heard = (job) => {
    listener(job);
    return job.state === "running";
  };
  const check = () => get(`jobs/${id}`, signal); // shows the banner if the server has gone
  stream(`jobs/${id}/events`, heard, check, signal);
}
