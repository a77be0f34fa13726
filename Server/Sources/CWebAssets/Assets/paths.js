// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Paths of sessions: a column for each step, and between them ribbons whose width shows the number of sessions.

import { fit, style } from "./axis.js";
import { h, s } from "./dom.js";
import { called, figure, figures, percent } from "./figures.js";
import { counted, cut } from "./format.js";
import { printable } from "./stream.js";

const height = 380;
const [top, gap, bar, narrowest, line] = [30, 10, 12, 168, 17];
const others = "all others";

/** Draws the flow and the tables. */
export function drawPaths(answer, asked) {
  if (answer.sessions === 0 || answer.steps.length === 0) return null;
  // Backwards from an end, the last column is the named one.
  const isBackwards = asked.has("end");
  const columns = answer.steps.map(column);
  const colours = new Map();
  for (const { nodes } of columns) for (const { name } of nodes) if (name !== null && !colours.has(name)) colours.set(name, style(colours.size));
  const svg = s("svg", { class: "paths-svg", role: "img", "aria-label": `Paths of ${counted(answer.sessions, "session")}; the table below lists all of them.` });
  const box = h("div", { class: "paths-box" });
  fit(box, svg, (room) => draw(svg, columns, answer, colours, isBackwards, Math.max(room - 20, columns.length * narrowest)));
  const place = (index) => (index === 0 ? (isBackwards ? "end" : "start") : `${index} ${isBackwards ? "before" : "after"}`);
  const rows = columns.flatMap(({ nodes, ended }, index) => [
    ...nodes.map(({ name, sessions }) => [place(index), name === null ? others : called(name, 60), figure(sessions), percent(sessions, answer.sessions)]),
    ...(ended > 0 ? [[place(index), isBackwards ? "session start" : "session end", figure(ended), percent(ended, answer.sessions)]] : []),
  ]);
  const links = answer.links.map(({ step, from, to, sessions }) => [place(step), name(from), name(to), figure(sessions)]);
  return [
    h("section", { class: "panel chart-panel", "aria-label": "Paths" }, h("header", { class: "panel-head" }, h("h3", {}, counted(answer.sessions, "session")),
      h("p", { class: "panel-note" }, isBackwards ? "from right to left: what came before" : "from left to right: what came next")),
      h("div", { class: "figures-frame", tabindex: "0", role: "region", "aria-label": "Paths, chart" }, box)),
    figures("Sessions by step", ["Step", answer.of === "events" ? "Event" : "Screen", "Sessions", "Share"], rows, 2),
    figures("Transitions", ["Step", isBackwards ? "From" : "From", isBackwards ? "Back to" : "To", "Sessions"], links, 3),
  ];
}

const name = (text) => (text === null || text === undefined ? others : called(text, 60));

function column({ names, other, ended }) {
  const nodes = names.map(({ name, sessions }) => ({ name, sessions }));
  if (other > 0) nodes.push({ name: null, sessions: other });
  return { nodes, ended };
}

function draw(svg, columns, answer, colours, isBackwards, width) {
  const most = Math.max(...columns.map(({ nodes }) => nodes.reduce((sum, { sessions }) => sum + sessions, 0)), 1);
  const crowd = Math.max(...columns.map(({ nodes }) => nodes.length));
  const scale = (height - top - gap * crowd - 10) / most;
  const step = (width - bar - 8) / Math.max(1, columns.length);
  const x = (index) => 4 + step * (isBackwards ? columns.length - 1 - index : index);
  const places = columns.map(({ nodes }, index) => {
    let y = top;
    return new Map(nodes.map((node) => {
      const place = { node, x: x(index), y, height: Math.max(2, node.sessions * scale), leaving: 0, arriving: 0 };
      // The name of a thin node needs a full line.
      y += Math.max(place.height + gap, line);
      return [node.name, place];
    }));
  });
  const ribbons = answer.links.map(({ step, from, to, sessions }) => {
    const [source, target] = [places[step]?.get(from ?? null), places[step + 1]?.get(to ?? null)];
    if (!source || !target) return null;
    const thick = Math.max(1, sessions * scale);
    const [y1, y2] = [source.y + source.leaving, target.y + target.arriving];
    source.leaving += thick;
    target.arriving += thick;
    const [x1, x2] = isBackwards ? [source.x, target.x + bar] : [source.x + bar, target.x];
    const middle = (x1 + x2) / 2;
    return s("path", { class: `ribbon fill ${from === null || from === undefined ? "cx" : colours.get(from)}`, d: `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}v${thick}C${middle} ${y2 + thick} ${middle} ${y1 + thick} ${x1} ${y1 + thick}z` },
      s("title", {}, `${printable(cut(from ?? others, 60))} → ${printable(cut(to ?? others, 60))}: ${counted(sessions, "session")}`));
  });
  const letters = Math.max(8, Math.floor((step - bar - 16) / 7));
  const nodes = places.flatMap((byName) => [...byName.values()].flatMap(({ node, x, y, height }) => [
    s("rect", { class: `fill ${node.name === null ? "cx" : colours.get(node.name)}`, x, y, width: bar, height, rx: 2 }),
    s("text", { class: "paths-name", x: x + bar + 5, y: y + Math.min(height / 2 + 4, 14) }, printable(cut(node.name ?? others, letters)), s("title", {}, printable(cut(node.name ?? others, 1000)))),
    height > 26 ? s("text", { class: "label", x: x + bar + 5, y: y + 28 }, figure(node.sessions)) : null,
  ]));
  const heads = columns.map((_, index) => s("text", { class: "label", x: x(index), y: 14 }, index === 0 ? (isBackwards ? "End" : "Start") : `${index} ${isBackwards ? "before" : "after"}`));
  const lowest = 6 + Math.max(...places.flatMap((byName) => [...byName.values()].map(({ y, height }) => y + Math.max(height, 16))));
  svg.setAttribute("viewBox", `0 0 ${width} ${lowest}`);
  svg.setAttribute("width", width);
  svg.setAttribute("height", lowest);
  svg.replaceChildren(...[...ribbons, ...nodes, ...heads].filter(Boolean));
}
