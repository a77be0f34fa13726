// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Sessions: all sessions on one timeline, and each session with its path of screens.

import { h, s } from "./dom.js";
import { formatDateTime, formatDay, formatLongDuration, formatShortTime, formatTime, pluralize, printable, shortID } from "./format.js";

const width = 1000;
const minimumWidth = 5;
const maximumSteps = 40;

/** Returns the panel with all sessions on one timeline. `onSelect(session)` scrolls to the session's row. */
export function timelinePanel(sessions, onSelect) {
  const from = Math.min(...sessions.map((session) => session.start));
  const to = Math.max(...sessions.map((session) => session.last), from + 1000);
  const xOf = (ms) => ((ms - from) / (to - from)) * (width - minimumWidth);
  const shapes = sessions.map((session) => {
    const x = xOf(session.start);
    const group = s("g", { class: "timeline-session", tabindex: "-1" },
      s("title", {}, `${label(session)}: ${formatDateTime(session.start)}, ${formatLongDuration(session.last - session.start)}`),
      s("rect", { class: "timeline-body", x, y: 6, width: Math.max(minimumWidth, xOf(session.last) - x), height: 20, rx: 3 }),
      foregroundRanges(session).map(([start, end]) => s("rect", { class: "timeline-foreground", x: xOf(start), y: 6, width: Math.max(2, xOf(end) - xOf(start)), height: 20, rx: 2 })),
      session.launches.filter((launch) => launch.kind === "crash").map((launch) => s("rect", { class: "timeline-crash", x: xOf(launch.time), y: 2, width: 4, height: 28 })));
    group.addEventListener("click", () => onSelect(session));
    return group;
  });
  return h("section", { class: "panel timeline", "aria-label": "Timeline" },
    h("header", { class: "panel-head" }, h("h2", {}, "Timeline"), h("p", { class: "panel-note" }, `${pluralize(sessions.length, "session")} over ${formatLongDuration(to - from)}`),
      h("ul", { class: "swatches" }, h("li", { class: "swatch-foreground" }, "in the foreground"), h("li", { class: "swatch-session" }, "session"))),
    s("svg", { class: "timeline-svg", viewBox: `0 0 ${width} 32`, preserveAspectRatio: "none", role: "img", "aria-label": `${pluralize(sessions.length, "session")}, the first at ${formatDateTime(from)}` },
      s("rect", { class: "bar-track", x: 0, y: 15, width, height: 2 }), shapes),
    h("p", { class: "timeline-ticks", "aria-hidden": "true" }, ticks(from, to).map((text) => h("span", {}, text))));
}

/** Returns five time labels for the timeline; the first label of each day includes the date. */
function ticks(from, to) {
  const times = [0, 0.25, 0.5, 0.75, 1].map((part) => from + part * (to - from));
  const days = times.map((ms) => new Date(ms).toDateString());
  return times.map((ms, index) => {
    const text = to - from < 600_000 ? formatTime(ms).slice(0, 8) : formatShortTime(ms);
    return days[index] === days[index - 1] ? text : `${formatDay(ms)} ${text}`;
  });
}

/** Returns the panel with a row for each session. */
export function sessionsPanel(sessions, hasMore, colors, actions) {
  const title = h("header", { class: "panel-head" }, h("h2", {}, "Sessions"), h("p", { class: "panel-note" }, sessions.length === 0 ? "" : hasMore ? `the latest ${sessions.length}` : pluralize(sessions.length, "session")));
  if (sessions.length === 0) {
    return h("section", { class: "panel sessions" }, title, h("p", { class: "empty-note" }, "No sessions yet. A session begins when an app is opened, and appears here with its screens."));
  }
  return h("section", { class: "panel sessions" }, title, h("ol", { class: "session-rows" }, sessions.map((session) => row(session, colors, actions))));
}

function row(session, colors, actions) {
  const engagement = session.engagement > 0 ? h("span", {}, h("b", {}, formatLongDuration(session.engagement)), " engaged") : null;
  return h("li", { class: "session", tabindex: "-1", "data-session": actions.sessionKey(session) },
    h("p", { class: "session-head" },
      h("b", { class: "session-name" }, label(session)),
      h("span", { title: formatDateTime(session.start) }, formatDateTime(session.start).slice(0, 19)),
      h("span", {}, h("b", {}, formatLongDuration(session.last - session.start))),
      h("span", {}, h("b", {}, pluralize(session.screens.length, "screen"))),
      engagement,
      h("button", { type: "button", class: "link", onclick: () => actions.showEvents(session.id) }, pluralize(session.events, "event")),
      session.users.map((user) => h("button", { type: "button", class: "link session-user", onclick: () => actions.openUser(user) }, printable(user))),
      actions.isAllUsers && session.users.length === 0 && session.installation ? h("button", { type: "button", class: "link session-user", title: session.installation, onclick: () => actions.openInstallation(session.installation) }, `Visitor ${shortID(session.installation)}`) : null),
    pathBar(session, colors),
    path(session, colors));
}

/**
 * Returns a session's path as a bar, in which each screen has its own color and a length proportional to its time on
 * screen.
 */
function pathBar(session, colors) {
  const end = Math.max(session.last, session.start + 1);
  const xOf = (ms) => ((ms - session.start) / (end - session.start)) * width;
  const shown = visibleScreens(session);
  return s("svg", { class: "path-bar", viewBox: `0 0 ${width} 12`, preserveAspectRatio: "none", "aria-hidden": "true" },
    s("rect", { class: "path-track", width, height: 12 }),
    shown.map(({ screen, from, to }) => s("rect", { class: `fill ${colors.of(screen.name)}`, x: xOf(from), width: Math.max(2, xOf(to) - xOf(from) - 1.5), height: 12 }, s("title", {}, `${screen.name}, ${formatLongDuration(to - from)}`))));
}

/** Returns a session's path as text: launches, screens with their engagement time, and exits. */
function path(session, colors) {
  const steps = [
    ...visibleScreens(session).map(({ screen, from, to }) => ({ time: from, node: screenChip(screen, to - from, colors) })),
    ...session.launches.map((launch) => ({ time: launch.time - (launch.kind === "end" ? 0 : 0.5), node: launchMark(launch) })),
  ].sort((a, b) => a.time - b.time);
  const more = steps.length - maximumSteps;
  return h("ol", { class: "path" }, steps.slice(0, maximumSteps).map((step) => step.node), more > 0 ? h("li", { class: "path-more" }, `+${more} more`) : null);
}

function screenChip(screen, visibleTime, colors) {
  const hasEngagement = screen.engagement > 0;
  return h("li", { class: "screen-chip", title: `${formatDateTime(screen.time)}${screen.id ? ` · ${screen.id}` : ""} · visible ${formatLongDuration(visibleTime)}` },
    h("span", { class: `dot ${colors.of(screen.name)}`, "aria-hidden": "true" }), printable(screen.name),
    h("small", { class: hasEngagement ? null : "estimate" }, hasEngagement ? formatLongDuration(screen.engagement) : `≈ ${formatLongDuration(visibleTime)}`));
}

const launchTexts = { cold: "opened", hot: "resumed", passive: "started in the background", start: "started", end: "closed", crash: "crashed" };

function launchMark(launch) {
  const text = launch.first ? "first launch" : (launchTexts[launch.kind] ?? printable(launch.kind));
  const notes = [];
  if (launch.recovered) notes.push("recorded after the process was killed");
  if (launch.foreground !== undefined) notes.push(`${formatLongDuration(launch.foreground)} in the foreground`);
  return h("li", { class: `launch ${launch.kind === "crash" ? "bad" : launch.recovered ? "warn" : ""}`, title: [formatDateTime(launch.time), ...notes].join(" · ") },
    text, launch.recovered ? h("small", {}, "killed") : launch.foreground !== undefined ? h("small", {}, formatLongDuration(launch.foreground)) : null);
}

/**
 * Returns the time range in which each screen was visible: until the next screen, the app's exit, or the session's last
 * event.
 */
function visibleScreens(session) {
  const exits = session.launches.filter((launch) => launch.kind === "end" || launch.kind === "crash").map((launch) => launch.time);
  return session.screens.map((screen, index) => {
    const next = session.screens[index + 1]?.time ?? Math.max(session.last, screen.time);
    const exit = exits.find((time) => time >= screen.time && time < next);
    return { screen, from: screen.time, to: exit ?? next };
  });
}

/**
 * Returns the time ranges in which the app was in the foreground. Without launch events, the only range is the whole
 * session.
 */
function foregroundRanges(session) {
  if (session.launches.length === 0) return [[session.start, session.last]];
  const ranges = [];
  let foregroundSince = null;
  for (const launch of session.launches) {
    if (launch.kind === "end" || launch.kind === "crash") {
      // An exit whose launch is in another session, or was never reported, still has its own duration.
      const start = foregroundSince ?? (launch.foreground === undefined ? session.start : Math.max(session.start, launch.time - launch.foreground));
      ranges.push([start, launch.time]);
      foregroundSince = null;
    } else if (launch.kind !== "passive") {
      foregroundSince ??= launch.time;
    }
  }
  if (foregroundSince !== null) ranges.push([foregroundSince, session.last]);
  return ranges;
}

const label = (session) => (session.number === undefined ? "Session" : `Session ${session.number}`);
