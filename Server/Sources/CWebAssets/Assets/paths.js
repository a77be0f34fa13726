// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Paths of sessions: a column for each step, and between them ribbons whose width shows the number of sessions.

import { drawToWidth, seriesClass } from "./chart-axis.js";
import { dataTable, formatPercent, formatValue, nameNode } from "./data-table.js";
import { h, s } from "./dom.js";
import { pluralize, printable, truncate } from "./format.js";

const height = 380;
const [top, gap, barWidth, minimumColumnWidth, lineHeight] = [30, 10, 12, 168, 17];
const othersLabel = "all others";

/** Draws the flow of sessions and the tables. */
export function drawPaths(result, params) {
  if (result.sessions === 0 || result.steps.length === 0) return null;
  // For paths that lead to an end, the last column contains the named event or screen.
  const isBackwards = params.has("end");
  const columns = result.steps.map(makeColumn);
  const colors = new Map();
  for (const { nodes } of columns) for (const { name } of nodes) if (name !== null && !colors.has(name)) colors.set(name, seriesClass(colors.size));
  const svg = s("svg", { class: "paths-svg", role: "img", "aria-label": `Paths of ${pluralize(result.sessions, "session")}; the table below lists all of them.` });
  const box = h("div", { class: "paths-box" });
  drawToWidth(box, svg, (available) => draw(svg, columns, result, colors, isBackwards, Math.max(available - 20, columns.length * minimumColumnWidth)));
  const stepLabel = (index) => (index === 0 ? (isBackwards ? "end" : "start") : `${index} ${isBackwards ? "before" : "after"}`);
  const rows = columns.flatMap(({ nodes, ended }, index) => [
    ...nodes.map(({ name, sessions }) => [stepLabel(index), name === null ? othersLabel : nameNode(name, 60), formatValue(sessions), formatPercent(sessions, result.sessions)]),
    ...(ended > 0 ? [[stepLabel(index), isBackwards ? "session start" : "session end", formatValue(ended), formatPercent(ended, result.sessions)]] : []),
  ]);
  const links = result.links.map(({ step, from, to, sessions }) => [stepLabel(step), name(from), name(to), formatValue(sessions)]);
  return [
    h("section", { class: "panel chart-panel", "aria-label": "Paths" }, h("header", { class: "panel-head" }, h("h3", {}, pluralize(result.sessions, "session")),
      h("p", { class: "panel-note" }, isBackwards ? "from right to left: what came before" : "from left to right: what came next")),
      h("div", { class: "data-table-frame", tabindex: "0", role: "region", "aria-label": "Paths, chart" }, box)),
    dataTable("Sessions by step", ["Step", result.of === "events" ? "Event" : "Screen", "Sessions", "Share"], rows, 2),
    dataTable("Transitions", ["Step", "From", isBackwards ? "Back to" : "To", "Sessions"], links, 3),
  ];
}

const name = (text) => (text === null || text === undefined ? othersLabel : nameNode(text, 60));

function makeColumn({ names, other, ended }) {
  const nodes = names.map(({ name, sessions }) => ({ name, sessions }));
  if (other > 0) nodes.push({ name: null, sessions: other });
  return { nodes, ended };
}

function draw(svg, columns, result, colors, isBackwards, width) {
  const maximum = Math.max(...columns.map(({ nodes }) => nodes.reduce((sum, { sessions }) => sum + sessions, 0)), 1);
  const maximumNodes = Math.max(...columns.map(({ nodes }) => nodes.length));
  const scale = (height - top - gap * maximumNodes - 10) / maximum;
  const step = (width - barWidth - 8) / Math.max(1, columns.length);
  const x = (index) => 4 + step * (isBackwards ? columns.length - 1 - index : index);
  const positions = columns.map(({ nodes }, index) => {
    let y = top;
    return new Map(nodes.map((node) => {
      const position = { node, x: x(index), y, height: Math.max(2, node.sessions * scale), leaving: 0, arriving: 0 };
      // The name of a thin node needs a full line.
      y += Math.max(position.height + gap, lineHeight);
      return [node.name, position];
    }));
  });
  const ribbons = result.links.map(({ step, from, to, sessions }) => {
    const [source, target] = [positions[step]?.get(from ?? null), positions[step + 1]?.get(to ?? null)];
    if (!source || !target) return null;
    const thickness = Math.max(1, sessions * scale);
    const [y1, y2] = [source.y + source.leaving, target.y + target.arriving];
    source.leaving += thickness;
    target.arriving += thickness;
    const [x1, x2] = isBackwards ? [source.x, target.x + barWidth] : [source.x + barWidth, target.x];
    const middle = (x1 + x2) / 2;
    return s("path", { class: `ribbon fill ${from === null || from === undefined ? "cx" : colors.get(from)}`, d: `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}v${thickness}C${middle} ${y2 + thickness} ${middle} ${y1 + thickness} ${x1} ${y1 + thickness}z` },
      s("title", {}, `${printable(truncate(from ?? othersLabel, 60))} → ${printable(truncate(to ?? othersLabel, 60))}: ${pluralize(sessions, "session")}`));
  });
  const maximumLetters = Math.max(8, Math.floor((step - barWidth - 16) / 7));
  const nodes = positions.flatMap((byName) => [...byName.values()].flatMap(({ node, x, y, height }) => [
    s("rect", { class: `fill ${node.name === null ? "cx" : colors.get(node.name)}`, x, y, width: barWidth, height, rx: 2 }),
    s("text", { class: "paths-name", x: x + barWidth + 5, y: y + Math.min(height / 2 + 4, 14) }, printable(truncate(node.name ?? othersLabel, maximumLetters)), s("title", {}, printable(truncate(node.name ?? othersLabel, 1000)))),
    height > 26 ? s("text", { class: "label", x: x + barWidth + 5, y: y + 28 }, formatValue(node.sessions)) : null,
  ]));
  const headings = columns.map((_, index) => s("text", { class: "label", x: x(index), y: 14 }, index === 0 ? (isBackwards ? "End" : "Start") : `${index} ${isBackwards ? "before" : "after"}`));
  const bottom = 6 + Math.max(...positions.flatMap((byName) => [...byName.values()].map(({ y, height }) => y + Math.max(height, 16))));
  svg.setAttribute("viewBox", `0 0 ${width} ${bottom}`);
  svg.setAttribute("width", width);
  svg.setAttribute("height", bottom);
  svg.replaceChildren(...[...ribbons, ...nodes, ...headings].filter(Boolean));
}
