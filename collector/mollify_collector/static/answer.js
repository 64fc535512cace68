// Draws a report on this device, shows what it reveals, and sends it when asked to. Nothing is requested before.
import {RandomizedResponse} from "./device/response.js";
import {nearestOf} from "./nearest.js";

const question = JSON.parse(document.getElementById("question").textContent);
const certificate = JSON.parse(question.certificate);
const form = document.querySelector("form");
const place = (name) => document.getElementById(name);

/** Shows a part of the page and brings the reader there. */
function show(name) {
  const part = place(name);
  part.hidden = false;
  const heading = part.querySelector("h2");
  heading.tabIndex = -1;
  heading.focus();
}

const percent = (share) => {
  const number = 100 * share;
  return `${Number(number.toPrecision(number > 99 ? 4 : 2))} %`;
};

// ---------------------------------------------------------------------------------------------
// One report for each certificate: a reload, a lost answer and a second visit send the same again.

const key = async () => `report of ${question.name} ${await digest()}`;

async function digest() {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(question.certificate));
  return hexadecimal(new Uint8Array(bytes));
}

const hexadecimal = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

async function kept() {
  try {
    return JSON.parse(localStorage.getItem(await key()));
  } catch {
    return null;
  }
}

async function keep(report) {
  try {
    localStorage.setItem(await key(), JSON.stringify(report));
  } catch {
    // Without storage the report lasts as long as the page.
  }
}

// ---------------------------------------------------------------------------------------------
// From answers to an outcome and back: the last column is the fastest.

function outcomeOf(cells) {
  return question.columns.reduce((outcome, column, i) => outcome * column.cells.length + cells[i], 0);
}

function cellsOf(outcome) {
  const cells = [];
  for (const column of [...question.columns].reverse()) {
    cells.unshift(outcome % column.cells.length);
    outcome = Math.floor(outcome / column.cells.length);
  }
  return cells;
}

function answered() {
  return question.columns.map((column, i) => Number(new FormData(form).get(`column${i}`)));
}

const written = (i) => place(`written${i}`)?.value.trim() ?? "";

/** Chooses the sentence that is nearest to what a person writes. They can choose another one. */
function chooseNearest() {
  question.columns.forEach((column, i) => {
    const field = place(`written${i}`);
    if (!field) return;
    const nearest = nearestOf(column.cells);
    const choose = () => {
      const found = nearest(field.value);
      place(`column${i}`).value = found.place < 0 ? "" : found.place;
      place(`near${i}`).textContent = !written(i)
        ? ""
        : found.place < 0
          ? "No sentence of the list is near to yours. Choose one."
          : `The nearest sentence: “${column.cells[found.place]}”. You can choose another one.`;
    };
    field.addEventListener("input", choose);
    if (written(i)) choose();  // before this script ran
  });
}

// ---------------------------------------------------------------------------------------------
// What the page shows before anything leaves.

function row(table, ...texts) {
  const line = table.insertRow();
  texts.forEach((text, i) => {
    const cell = i === 0 ? document.createElement("th") : line.insertCell();
    if (i === 0) {
      cell.scope = "row";
      line.append(cell);
    }
    cell.textContent = text;
  });
}

function explain(report, answers, response) {
  const reported = cellsOf(report.outcome);
  const table = place("record");
  question.columns.forEach((column, i) => {
    const own = answers && (written(i) ? `“${written(i)}”, as: ${column.cells[answers[i]]}` : column.cells[answers[i]]);
    row(table, column.name, own ?? "not kept", column.cells[reported[i]]);
  });
  place("body").textContent = JSON.stringify(report.body, null, 1);
  // Shown only: a number of JavaScript has 53 bits of these integers.
  const [kept, other, total] = [response.kept, response.other, response.total].map(Number);
  const stays = kept / total;
  const others = response.outcomes - 1;
  place("odds").textContent =
    `Of 100 people who answer like you, about ${(100 * stays).toFixed(0)} send their real answers. ` +
    `Each of the others sends one of the ${others} other possible records, all equally likely.`;
  const ratio = kept / other;
  place("ratio").textContent =
    `No record is more than ${ratio.toFixed(1)} times as likely for one person as for another.`;
  const guesses = place("guesses");
  for (const before of [0.001, 1 / response.outcomes, 0.5]) {
    row(guesses, percent(before), percent((before * ratio) / (1 + before * (ratio - 1))));
  }
}

// ---------------------------------------------------------------------------------------------

async function begin() {
  if (certificate.mechanism !== "randomized-response") {
    throw new Error(`This page draws by randomized response, and the question is for ${certificate.mechanism}.`);
  }
  const response = await RandomizedResponse.create({
    outcomes: certificate.facts.k,
    epsilon: certificate.spec.privacy.epsilon,
  });
  const earlier = await kept();
  if (earlier) {
    form.hidden = true;
    explain(earlier, null, response);
    place("again").hidden = false;
    offer(earlier);
    return;
  }
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const answers = answered();
    const outcome = response.report(outcomeOf(answers));
    const id = hexadecimal(crypto.getRandomValues(new Uint8Array(16)));
    const report = {outcome, body: {id, certificate: await digest(), outcome}};
    await keep(report);
    for (const part of form.elements) part.disabled = true;
    explain(report, answers, response);
    offer(report);
  });
  chooseNearest();
  place("draw").disabled = false;
}

function offer(report) {
  show("shown");
  place("send").addEventListener("click", () => send(report));
}

async function send(report) {
  const status = place("status");
  place("send").disabled = true;
  status.textContent = "Sending …";
  try {
    const answer = await fetch(`/questions/${question.name}/reports`, {
      method: "POST",
      headers: {"content-type": "application/json"},
      body: JSON.stringify(report.body),
    });
    if (answer.status !== 204) throw new Error((await answer.json()).error);
  } catch (error) {
    status.textContent = `${error.message} Your report is not known to be counted. Send it again: it counts once.`;
    place("send").disabled = false;
    return;
  }
  status.textContent = "Your report is counted.";
  await results();
  show("results");
}

async function results() {
  const answer = await fetch(`/questions/${question.name}/results`, {cache: "no-store"});
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const one of page.querySelectorAll("h1, .refreshes")) one.remove();
  place("estimate").replaceChildren(...page.querySelector("main").childNodes);
}

begin().catch((error) => {
  place("failed").textContent = error.message;
});
