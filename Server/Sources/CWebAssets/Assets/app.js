// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The page: connects its parts, handles keyboard shortcuts, and polls counts and ledger.

import { Alerts } from "./alerts.js";
import { ask, key } from "./ask.js";
import { Boards } from "./boards.js";
import { Detail } from "./detail.js";
import { Devices } from "./devices.js";
import { byId, h, setText } from "./dom.js";
import { Events } from "./events.js";
import { Failures } from "./failed.js";
import { Feed } from "./feed.js";
import { parseFilter, withTerm } from "./filter.js";
import { compact, number } from "./format.js";
import { Ledger } from "./ledger.js";
import { Modes, unknown } from "./modes.js";
import { Plot } from "./plot.js";
import { Questions } from "./questions.js";
import { showShared } from "./shared.js";
import { Stream } from "./stream.js";
import { TimeChoice } from "./timechoice.js";
import { Visitors } from "./visitors.js";
import { ownZone } from "./zones.js";

/** A visitor with a link sees one dashboard, and nothing else is requested. */
const isShared = /[?&]link=/.test(location.search);
const lookEvery = 2000;

const input = byId("filter");
const main = byId("main");
const views = ["events", "ledger", "failed"];
const narrow = matchMedia("(max-width: 899px)");
/** The open event, for the URL. */
let opened = null;
const detail = new Detail((key, value) => (modes.shown === "live" ? filterBy(key, value) : showEvents(key, value)), () => {
  opened = null;
  modes.remember();
  if (modes.shown === "visitors" && visitors.focusOpened()) return;
  stream.focusSelected();
});
const stream = new Stream({
  open: (stored) => {
    // Moving from one event to the next adds no history entry.
    const replacing = opened !== null;
    opened = stored.id;
    detail.showEvent(stored);
    modes.remember(replacing);
  },
  older: () => events.older(),
  renew: () => begin(true),
});
const events = new Events({ stream, wantKey, explain: explainEmpty });
const time = new TimeChoice(() => {
  begin();
  modes.remember();
});
const plot = new Plot((name) => filterBy("name", parseFilter(input.value).terms.name === name ? null : name));
const ledger = new Ledger((installation) => {
  show("events");
  filterBy("installation", installation);
}, () => choose("ledger"));
const failures = new Failures((failure) => {
  opened = null;
  detail.showFailure(failure);
  modes.remember();
});
const showEvents = (key, value) => {
  input.value = withTerm("", key, value);
  show("events");
  modes.show("live");
  begin();
};
const visitors = new Visitors({ events: showEvents, open: (stored) => detail.showEvent(stored), moved: (replacing) => modes.remember(replacing) });
const devices = new Devices({
  events: (installation) => showEvents("installation", installation),
  visitor: (installation) => {
    visitors.place = `installation:${installation}`;
    modes.show("visitors");
  },
  chosen: () => modes.remember(),
});
const alerts = new Alerts(() => modes.remember(), wantKey);
const questions = new Questions(() => modes.remember(), wantKey, (question) => alerts.make(question));
const boards = new Boards(() => modes.remember(), wantKey);
/** The live events in the URL: tab, event, and the filter after the “#”. */
const live = {
  show: () => {},
  get pairs() {
    return [...(main.dataset.view === "events" ? [] : [["tab", main.dataset.view]]), ...time.pairs, ...(opened === null ? [] : [["event", opened]])];
  },
  get hash() {
    const line = input.value.trim();
    return line === "" ? "" : `#${encodeURIComponent(line)}`;
  },
  restore: (pairs) => {
    const find = (key) => pairs.find(([name]) => name === key)?.[1] ?? null;
    const tab = find("tab") ?? "events";
    show(views.includes(tab) ? tab : "events");
    try {
      input.value = decodeURIComponent(location.hash.slice(1));
    } catch {
      input.value = ""; // A malformed filter is ignored.
    }
    const wrongTime = time.restore(pairs);
    begin();
    const event = find("event");
    if (event !== opened || (event === null && detail.isOpen)) {
      detail.close();
      opened = event;
      if (event !== null) detail.showStored(event);
    }
    if (!views.includes(tab)) return `“${tab.slice(0, 64)}” is not a tab. Available tabs: ${views.join(", ")}.`;
    return wrongTime ?? unknown(pairs.filter(([key]) => !["tab", "event", ...time.keys].includes(key)));
  },
};
const modes = new Modes({ live, visitors, devices, boards, alerts, questions }, () => detail.isOpen && detail.close());
events.feed = new Feed({
  event: (stored) => events.arrived(stored),
  skipped: (count) => stream.skip(count),
  state: (state, text) => {
    byId("state").dataset.state = state;
    setText(byId("state-text"), text);
  },
  refused: () => wantKey(),
});

// MARK: Requests

/** Starts or restarts the stream with the current filter and time range. */
function begin(force = false) {
  plot.setChosen(parseFilter(input.value).terms.name ?? null);
  events.begin(input.value, time.range, force);
}

/** The action to run once there is a key; null if the page is only shown again. */
let afterKey = null;

/**
 * Asks for a key, on top of an open form, which stays unchanged. `writes`: whether the key needs write access; `again` repeats the rejected action.
 */
function wantKey({ writes = false, again = null } = {}) {
  const dialog = byId("key-dialog");
  if (!writes) {
    byId("state").dataset.state = "lost";
    setText(byId("state-text"), "Key required");
  }
  // The page's own requests do not replace the pending action of the user.
  if (dialog.open && again === null) return;
  afterKey = again;
  setText(byId("key-label"), writes ? "A key with the scopes “read” and “write”" : "A key with the scope “read”");
  setText(byId("key-wrong"), writes ? "This key has no write access." : "This key has no read access.");
  byId("key-wrong").hidden = key.get() === "";
  byId("key-text").value = "";
  if (!dialog.open) dialog.showModal();
}

function tell(problem) {
  const notice = byId("notice");
  notice.hidden = problem === null;
  setText(notice, problem ?? "");
}

function explainEmpty(filtered, problem) {
  const command = `curl ${location.origin}/v1/events -H "authorization: Bearer $KEY" --json '{"name":"hello"}'`;
  if (problem !== null) {
    byId("empty").replaceChildren(h("p", { class: "empty-title" }, "No response"), h("p", { class: "wrong", role: "alert" }, problem), h("button", { type: "button", class: "button", onclick: () => begin(true) }, "Try again"));
    return;
  }
  byId("empty").replaceChildren(...(filtered || input.value.trim() !== ""
    ? [h("p", { class: "empty-title" }, "No matching events"), h("p", {}, "New matching events will appear here."), h("button", { type: "button", class: "button", onclick: clearFilter }, "Clear filter")]
    : [h("p", { class: "empty-title" }, "Waiting for the first event"), h("p", {}, "Point an app at this collector, or send an event manually:"), h("pre", {}, command)]));
}

let looking = false;
const looks = { ledgerAfter: 0 };

/** Polls counts and totals every time, the ledger and the rejected events less often. */
async function look() {
  if (looking || byId("key-dialog").open || document.visibilityState !== "visible") return;
  looking = true;
  visitors.look();
  devices.look();
  const now = Date.now();
  const part = async (question, use, fail = () => {}) => {
    try {
      use(await question);
    } catch (error) {
      // The connection state already shows that the collector is down; the last numbers stay on the page.
      fail(error);
    }
  };
  // The ledger of many installations is long: the faster its response, the more often it is polled.
  const both = now >= looks.ledgerAfter;
  const asked = performance.now();
  await Promise.all([
    part(ask("/v1/rate?minutes=15"), (answer) => {
      plot.show(answer.minutes, now);
      stream.recolour();
      const list = byId("names");
      if (document.activeElement !== input) list.replaceChildren(...plot.names.slice(0, 40).map((name) => h("option", { value: withTerm("", "name", name) })));
    }),
    part(ask("/v1/stats"), (stats) => {
      setText(byId("total-events"), compact(stats.events ?? 0));
      byId("total-events").title = number(stats.events ?? 0);
      setText(byId("total-installations"), compact(stats.installations ?? 0));
      setText(byId("total-failed"), compact(stats.failed ?? 0));
      byId("total-failed").dataset.mood = stats.failed > 0 ? "warn" : "calm";
      failures.total = stats.failed ?? 0;
      events.retry();
      tell([
        stats.intake_trouble ? `Events are not being accepted: ${stats.intake_trouble} Clients keep their events and retry.` : null,
        stats.trouble ? `${stats.trouble} ${stats.intake_trouble ? "Events received earlier appear" : "Events are still accepted and stored; they appear"} here once this is resolved.` : null,
      ].filter(Boolean).join(" ") || null);
    }),
    both ? part(ledger.look(main.dataset.view === "ledger", now), (missing) => {
      looks.ledgerAfter = now + Math.max(3000, 20 * (performance.now() - asked));
      setText(byId("total-missing"), compact(missing));
      byId("total-missing").dataset.mood = missing > 0 ? "bad" : "good";
    }, (error) => ledger.fail(error)) : null,
    both ? part(failures.look(now), () => {}, (error) => failures.fail(error)) : null,
  ]);
  looking = false;
}

// MARK: Filter, pause, views

let typing = 0;
/** `isTyped`: during typing, the URL follows without a history entry for each letter. */
function setFilter(line, isTyped = false) {
  input.value = line;
  begin();
  modes.remember(isTyped);
}

/** Removes the filter and the time range. */
function clearFilter() {
  time.clear();
  setFilter("");
}

function filterBy(key, value) {
  setFilter(withTerm(input.value, key, value));
}

function togglePause() {
  if (stream.isPaused) stream.resume();
  else stream.pause();
  byId("pause").setAttribute("aria-pressed", String(stream.isPaused));
  setText(byId("pause-text"), stream.isPaused ? "Resume" : "Pause");
}

function show(view) {
  main.dataset.view = view;
  for (const name of ["events", "ledger", "failed"]) {
    const chosen = name === view || (!narrow.matches && view === "events" && name === "ledger");
    byId(`tab-${name}`).setAttribute("aria-selected", String(chosen));
    byId(`tab-${name}`).tabIndex = chosen ? 0 : -1;
  }
}

function toggleStacked() {
  plot.setStacked(!plot.isStacked);
  byId("plot-stacked").setAttribute("aria-pressed", String(plot.isStacked));
  byId("plot-total").setAttribute("aria-pressed", String(!plot.isStacked));
}

byId("filter-form").addEventListener("submit", (event) => {
  event.preventDefault();
  setFilter(input.value);
});
input.addEventListener("input", () => {
  clearTimeout(typing);
  // The first letter of a filter adds a history entry, the others change it.
  const isTyped = location.hash !== "";
  typing = setTimeout(() => setFilter(input.value, isTyped), 250);
});
byId("pause").addEventListener("click", togglePause);
byId("waiting").addEventListener("click", () => {
  byId("pause").setAttribute("aria-pressed", "false");
  setText(byId("pause-text"), "Pause");
});
byId("clear").addEventListener("click", () => events.clear());
byId("plot-stacked").addEventListener("click", () => plot.isStacked || toggleStacked());
byId("plot-total").addEventListener("click", () => plot.isStacked && toggleStacked());
byId("help").addEventListener("click", () => byId("shortcuts").showModal());
function choose(view) {
  show(view);
  modes.remember();
  // The full ledger is requested only while it is shown.
  if (view === "ledger") looks.ledgerAfter = 0;
  look();
}

for (const view of views) {
  byId(`tab-${view}`).addEventListener("click", () => choose(view));
  byId(`tab-${view}`).addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    const shown = views.filter((name) => byId(`tab-${name}`).offsetParent !== null);
    const next = shown[(shown.indexOf(view) + step + shown.length) % shown.length];
    choose(next);
    byId(`tab-${next}`).focus();
  });
}
byId("key-form").addEventListener("submit", () => {
  key.set(byId("key-text").value.trim());
  begin(true);
  look();
  if (modes.shown === "questions") questions.show(true);
  if (modes.shown === "boards") boards.show(true);
  if (modes.shown === "alerts") alerts.show(true);
  const again = afterKey;
  afterKey = null;
  again?.();
});
byId("key-dialog").addEventListener("cancel", () => (afterKey = null));
narrow.addEventListener("change", () => show(main.dataset.view));

// MARK: Keys

const keysOn = byId("keys-on");
keysOn.checked = localStorage.getItem("trackway.keys") !== "off";
keysOn.addEventListener("change", () => localStorage.setItem("trackway.keys", keysOn.checked ? "on" : "off"));

const actions = {
  "/": () => {
    // The search field of the visible section.
    const field = document.querySelector("main:not([hidden]) [type=search]");
    if (field === input) choose("events");
    field?.focus();
    field?.select();
  },
  p: togglePause,
  j: () => stream.move(1, detail.isOpen),
  k: () => stream.move(-1, detail.isOpen),
  1: () => choose("events"),
  2: () => choose("ledger"),
  3: () => choose("failed"),
  t: toggleStacked,
  v: () => modes.toggle("visitors"),
  d: () => modes.toggle("devices"),
  b: () => modes.toggle("boards"),
  a: () => modes.toggle("alerts"),
  q: () => modes.toggle("questions"),
  "?": () => byId("shortcuts").showModal(),
};

document.addEventListener("keydown", (event) => {
  if (isShared || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.key === "Escape") {
    if (detail.isOpen) detail.close();
    else if (document.activeElement === input && input.value !== "") setFilter("");
    else document.activeElement?.blur();
    return;
  }
  const inRows = document.activeElement?.closest?.("#rows, #rows-frame");
  if (inRows && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    event.preventDefault();
    stream.move(event.key === "ArrowDown" ? 1 : -1, detail.isOpen);
    return;
  }
  if (!keysOn.checked || event.target.closest("input, textarea, select")) return;
  const action = actions[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

// MARK: Start

if (isShared) {
  showShared();
} else {
  setText(byId("host"), location.host);
  setText(byId("zone"), ownZone());
  modes.restore();
  begin();
  look();
  setInterval(look, lookEvery);
  document.addEventListener("visibilitychange", look);
}
