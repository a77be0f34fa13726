// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Sessions: all of them on one timeline, and each with its path of screens.

import { h, s } from "./dom.js";
import { clock, counted, dateAndClock, minute, shortID, span } from "./format.js";
import { printable } from "./stream.js";

const width = 1000;
const narrowest = 5;
const mostSteps = 40;

/** The panel with all sessions on one timeline. `choose(session)` scrolls to its row. */
export function timeline(sessions, choose) {
  const from = Math.min(...sessions.map((session) => session.start));
  const to = Math.max(...sessions.map((session) => session.last), from + 1000);
  const at = (ms) => ((ms - from) / (to - from)) * (width - narrowest);
  const shapes = sessions.map((session) => {
    const x = at(session.start);
    const group = s("g", { class: "line-session", tabindex: "-1" },
      s("title", {}, `${label(session)}: ${dateAndClock(session.start)}, ${span(session.last - session.start)}`),
      s("rect", { class: "line-body", x, y: 6, width: Math.max(narrowest, at(session.last) - x), height: 20, rx: 3 }),
      foregrounds(session).map(([start, end]) => s("rect", { class: "line-front", x: at(start), y: 6, width: Math.max(2, at(end) - at(start)), height: 20, rx: 2 })),
      session.launches.filter((launch) => launch.kind === "crash").map((launch) => s("rect", { class: "line-crash", x: at(launch.time), y: 2, width: 4, height: 28 })));
    group.addEventListener("click", () => choose(session));
    return group;
  });
  const spansDays = to - from > 86_400_000;
  const tick = (ms) => (spansDays ? dateAndClock(ms).slice(5, 16) : to - from < 600_000 ? clock(ms).slice(0, 8) : minute(ms));
  return h("section", { class: "panel line", "aria-label": "Timeline" },
    h("header", { class: "panel-head" }, h("h2", {}, "Timeline"), h("p", { class: "panel-note" }, `${counted(sessions.length, "session")} over ${span(to - from)}`),
      h("ul", { class: "line-keys" }, h("li", { class: "key-front" }, "in the foreground"), h("li", { class: "key-body" }, "session"))),
    s("svg", { class: "line-svg", viewBox: `0 0 ${width} 32`, preserveAspectRatio: "none", role: "img", "aria-label": `${counted(sessions.length, "session")}, the first at ${dateAndClock(from)}` },
      s("rect", { class: "line-ground", x: 0, y: 15, width, height: 2 }), shapes),
    h("p", { class: "line-ticks", "aria-hidden": "true" }, [0, 0.25, 0.5, 0.75, 1].map((part) => h("span", {}, tick(from + part * (to - from))))));
}

/** The panel with a row for each session. */
export function sessionList(sessions, hasMore, colours, go) {
  const title = h("header", { class: "panel-head" }, h("h2", {}, "Sessions"), h("p", { class: "panel-note" }, sessions.length === 0 ? "" : hasMore ? `the latest ${sessions.length}` : counted(sessions.length, "session")));
  if (sessions.length === 0) {
    return h("section", { class: "panel sessions" }, title, h("p", { class: "nothing" }, "No sessions yet. A session begins when an app is opened, and appears here with its screens."));
  }
  return h("section", { class: "panel sessions" }, title, h("ol", { class: "session-rows" }, sessions.map((session) => row(session, colours, go))));
}

function row(session, colours, go) {
  const used = session.engagement > 0 ? h("span", {}, h("b", {}, span(session.engagement)), " engaged") : null;
  return h("li", { class: "session", tabindex: "-1", "data-session": go.rowKey(session) },
    h("p", { class: "session-head" },
      h("b", { class: "session-name" }, label(session)),
      h("span", { title: dateAndClock(session.start) }, dateAndClock(session.start).slice(0, 19)),
      h("span", {}, h("b", {}, span(session.last - session.start))),
      h("span", {}, h("b", {}, counted(session.screens.length, "screen"))),
      used,
      h("button", { type: "button", class: "link", onclick: () => go.events(session.id) }, counted(session.events, "event")),
      session.users.map((user) => h("button", { type: "button", class: "link session-user", onclick: () => go.person(user) }, printable(user))),
      go.isEverybody && session.users.length === 0 && session.installation ? h("button", { type: "button", class: "link session-user", title: session.installation, onclick: () => go.installation(session.installation) }, `Visitor ${shortID(session.installation)}`) : null),
    pathBar(session, colours),
    path(session, colours));
}

/** The path as a bar: each screen is as long as it was visible, in its color. */
function pathBar(session, colours) {
  const end = Math.max(session.last, session.start + 1);
  const at = (ms) => ((ms - session.start) / (end - session.start)) * width;
  const shown = stretches(session);
  return s("svg", { class: "path-bar", viewBox: `0 0 ${width} 12`, preserveAspectRatio: "none", "aria-hidden": "true" },
    s("rect", { class: "path-ground", width, height: 12 }),
    shown.map(({ screen, from, to }) => s("rect", { class: `fill ${colours.of(screen.name)}`, x: at(from), width: Math.max(2, at(to) - at(from) - 1.5), height: 12 }, s("title", {}, `${screen.name}, ${span(to - from)}`))));
}

/** The path as text: launches, screens with engagement time, exits. */
function path(session, colours) {
  const steps = [
    ...stretches(session).map(({ screen, from, to }) => ({ time: from, node: chip(screen, to - from, colours) })),
    ...session.launches.map((launch) => ({ time: launch.time - (launch.kind === "end" ? 0 : 0.5), node: mark(launch) })),
  ].sort((a, b) => a.time - b.time);
  const more = steps.length - mostSteps;
  return h("ol", { class: "path" }, steps.slice(0, mostSteps).map((step) => step.node), more > 0 ? h("li", { class: "path-more" }, `+${more} more`) : null);
}

function chip(screen, inSight, colours) {
  const isTold = screen.engagement > 0;
  return h("li", { class: "chip", title: `${dateAndClock(screen.time)}${screen.id ? ` · ${screen.id}` : ""} · visible ${span(inSight)}` },
    h("span", { class: `dot ${colours.of(screen.name)}`, "aria-hidden": "true" }), printable(screen.name),
    h("small", { class: isTold ? null : "guess" }, isTold ? span(screen.engagement) : `≈ ${span(inSight)}`));
}

const words = { cold: "opened", hot: "resumed", passive: "started in the background", start: "started", end: "closed", crash: "crashed" };

function mark(launch) {
  const text = launch.first ? "first launch" : (words[launch.kind] ?? printable(launch.kind));
  const notes = [];
  if (launch.recovered) notes.push("recorded after the process was killed");
  if (launch.foreground !== undefined) notes.push(`${span(launch.foreground)} in the foreground`);
  return h("li", { class: `moment ${launch.kind === "crash" ? "bad" : launch.recovered ? "warn" : ""}`, title: [dateAndClock(launch.time), ...notes].join(" · ") },
    text, launch.recovered ? h("small", {}, "killed") : launch.foreground !== undefined ? h("small", {}, span(launch.foreground)) : null);
}

/** The time range in which each screen was visible: until the next screen, the app's exit, or the session's last event. */
function stretches(session) {
  const leaves = session.launches.filter((launch) => launch.kind === "end" || launch.kind === "crash").map((launch) => launch.time);
  return session.screens.map((screen, index) => {
    const next = session.screens[index + 1]?.time ?? Math.max(session.last, screen.time);
    const left = leaves.find((time) => time >= screen.time && time < next);
    return { screen, from: screen.time, to: left ?? next };
  });
}

/** The time ranges in which the app was in the foreground. Without launch events, this is the whole session. */
function foregrounds(session) {
  if (session.launches.length === 0) return [[session.start, session.last]];
  const found = [];
  let since = null;
  for (const launch of session.launches) {
    if (launch.kind === "end" || launch.kind === "crash") {
      // An exit whose launch is in another session, or was never reported, still has its own duration.
      const start = since ?? (launch.foreground === undefined ? session.start : Math.max(session.start, launch.time - launch.foreground));
      found.push([start, launch.time]);
      since = null;
    } else if (launch.kind !== "passive") {
      since ??= launch.time;
    }
  }
  if (since !== null) found.push([since, session.last]);
  return found;
}

const label = (session) => (session.number === undefined ? "Session" : `Session ${session.number}`);
