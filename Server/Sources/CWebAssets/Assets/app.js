// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The page: connects its parts, handles keyboard shortcuts, and polls the counts and the ledger.

import { Alerts } from "./alerts.js";
import { apiKey, getJSON } from "./api.js";
import { Boards } from "./boards.js";
import { DetailsDrawer } from "./details-drawer.js";
import { Devices } from "./devices.js";
import { byId, h, setText } from "./dom.js";
import { parseFilter, withTerm } from "./filter.js";
import { formatCompact, formatDateTime, formatNumber } from "./format.js";
import { Insights } from "./insights.js";
import { Ledger } from "./ledger.js";
import { LiveEvents } from "./live-events.js";
import { Feed } from "./live-feed.js";
import { LiveTable } from "./live-table.js";
import { loadCalendar } from "./project-calendar.js";
import { RateChart } from "./rate-chart.js";
import { Rejections } from "./rejections.js";
import { Sections, unknownParameterMessage } from "./sections.js";
import { showSharedBoard } from "./shared-board.js";
import { TimeRangeSelect } from "./time-range-select.js";
import { browserZone } from "./time-zones.js";
import { Users } from "./users.js";

/** Whether the page was opened through a shared link. Such a page shows one dashboard and requests nothing else. */
const isShared = /[?&]link=/.test(location.search);
const pollInterval = 2000;

const input = byId("filter");
const main = byId("main");
const tabs = ["events", "ledger", "failed"];
const narrowLayout = matchMedia("(max-width: 899px)");
/** The ID of the open event, for the URL. */
let openEventID = null;
const drawer = new DetailsDrawer((key, value) => (sections.current === "live" ? filterBy(key, value) : showEvents(key, value)), () => {
  openEventID = null;
  sections.updateURL();
  if (sections.current === "users" && users.focusOpened()) return;
  if (sections.current === "insights" && insights.focusOpened()) return;
  liveTable.focusSelected();
});
const liveTable = new LiveTable({
  onOpen: (stored) => {
    // Moving from one event to the next adds no history entry.
    const isReplacement = openEventID !== null;
    openEventID = stored.id;
    drawer.showEvent(stored);
    sections.updateURL(isReplacement);
  },
  onLoadOlder: () => liveEvents.loadOlder(),
  onReload: () => startStream(true),
});
const liveEvents = new LiveEvents({ table: liveTable, requestKey, showEmptyState });
const timeRange = new TimeRangeSelect(() => {
  startStream();
  sections.updateURL();
});
const rateChart = new RateChart((name) => filterBy("name", parseFilter(input.value).terms.name === name ? null : name));
const ledger = new Ledger((installation) => {
  showTab("events");
  filterBy("installation", installation);
}, () => selectTab("ledger"));
const rejections = new Rejections((rejection) => {
  openEventID = null;
  drawer.showRejection(rejection);
  sections.updateURL();
});
const showEvents = (key, value) => {
  input.value = withTerm("", key, value);
  showTab("events");
  sections.show("live");
  startStream();
};
const users = new Users({ showEvents, requestKey, openEvent: (stored) => drawer.showEvent(stored), onURLChange: (isReplacement) => sections.updateURL(isReplacement) });
const devices = new Devices({
  showEvents: (installation) => showEvents("installation", installation),
  showSessions: (installation) => {
    users.urlValue = `installation:${installation}`;
    sections.show("users");
  },
  onURLChange: () => sections.updateURL(),
});
const alerts = new Alerts(() => sections.updateURL(), requestKey);
const insights = new Insights(() => sections.updateURL(), requestKey, (draft) => alerts.create(draft), (stored) => drawer.showEvent(stored));
const boards = new Boards(() => sections.updateURL(), requestKey);
/** The live events section. Its URL contains the tab, the event, and, after the “#”, the filter. */
const liveSection = {
  setVisible: () => {},
  get pairs() {
    return [...(main.dataset.view === "events" ? [] : [["tab", main.dataset.view]]), ...timeRange.pairs, ...(openEventID === null ? [] : [["event", openEventID]])];
  },
  get hash() {
    const line = input.value.trim();
    return line === "" ? "" : `#${encodeURIComponent(line)}`;
  },
  restore: (pairs) => {
    const find = (key) => pairs.find(([name]) => name === key)?.[1] ?? null;
    const tab = find("tab") ?? "events";
    showTab(tabs.includes(tab) ? tab : "events");
    try {
      input.value = decodeURIComponent(location.hash.slice(1));
    } catch {
      input.value = ""; // A malformed filter is ignored.
    }
    const rangeError = timeRange.restore(pairs);
    startStream();
    const event = find("event");
    if (event !== openEventID || (event === null && drawer.isOpen)) {
      drawer.close();
      openEventID = event;
      if (event !== null) drawer.showEventWithID(event);
    }
    if (!tabs.includes(tab)) return `“${tab.slice(0, 64)}” is not a tab. Available tabs: ${tabs.join(", ")}.`;
    return rangeError ?? unknownParameterMessage(pairs.filter(([key]) => !["tab", "event", ...timeRange.keys].includes(key)));
  },
};
const sections = new Sections({ live: liveSection, users, devices, boards, alerts, insights }, () => drawer.isOpen && drawer.close());
liveEvents.feed = new Feed({
  event: (stored) => liveEvents.receive(stored),
  skipped: (count) => liveTable.skip(count),
  state: (state, text) => {
    byId("connection").dataset.state = state;
    setText(byId("connection-text"), text);
  },
  unauthorized: () => requestKey(),
});

// MARK: Requests

/** Starts or restarts the stream with the current filter and time range. */
function startStream(force = false) {
  rateChart.setSelected(parseFilter(input.value).terms.name ?? null);
  liveEvents.start(input.value, timeRange.range, force);
}

/** The action to run after a key is entered; null if the page is only refreshed. */
let keyRetry = null;

/**
 * Requests a key in a dialog above any open form, which is left unchanged. `needsWrite`: whether the key needs write
 * access; `retry` repeats the rejected action.
 */
function requestKey({ needsWrite = false, retry = null } = {}) {
  const dialog = byId("key-dialog");
  if (!needsWrite) {
    byId("connection").dataset.state = "lost";
    setText(byId("connection-text"), "Key required");
  }
  // Background requests must not replace the user's pending action.
  if (dialog.open && retry === null) return;
  keyRetry = retry;
  setText(byId("key-label"), needsWrite ? "A key with the scopes “read” and “write”" : "A key with the scope “read”");
  setText(byId("key-error"), needsWrite ? "This key has no write access." : "This key has no read access.");
  byId("key-error").hidden = apiKey.get() === "";
  byId("key-text").value = "";
  if (!dialog.open) dialog.showModal();
}

function showNotice(problem) {
  const notice = byId("notice");
  notice.hidden = problem === null;
  setText(notice, problem ?? "");
}

function showEmptyState(isFiltered, problem) {
  const command = `curl ${location.origin}/v1/events -H "authorization: Bearer $KEY" --json '{"name":"hello"}'`;
  if (problem !== null) {
    byId("empty").replaceChildren(h("p", { class: "empty-title" }, "No response"), h("p", { class: "error", role: "alert" }, problem), h("button", { type: "button", class: "button", onclick: () => startStream(true) }, "Try again"));
    return;
  }
  byId("empty").replaceChildren(...(isFiltered || input.value.trim() !== ""
    ? [h("p", { class: "empty-title" }, "No matching events"), h("p", {}, "New matching events will appear here."), h("button", { type: "button", class: "button", onclick: clearFilter }, "Clear filter")]
    : [h("p", { class: "empty-title" }, "Waiting for the first event"), h("p", {}, "Point an app at this collector, or send an event manually:"), h("pre", {}, command)]));
}

let isPolling = false;
const pollTimes = { ledgerAfter: 0 };

/** Polls the counts and totals on every call, and the ledger and the rejected events less often. */
async function poll() {
  if (isPolling || byId("key-dialog").open || document.visibilityState !== "visible") return;
  isPolling = true;
  users.refresh();
  devices.refresh();
  const now = Date.now();
  const update = async (request, onResult, onError = () => {}) => {
    try {
      onResult(await request);
    } catch (error) {
      // The connection state already shows that the collector is down; the last numbers stay on the page.
      onError(error);
    }
  };
  // The ledger of many installations is long, so the ledger is polled more often if the collector responds faster.
  const includesLedger = now >= pollTimes.ledgerAfter;
  const requestedAt = performance.now();
  await Promise.all([
    update(getJSON("/v1/rate?minutes=15"), (response) => {
      rateChart.show(response.minutes, now);
      liveTable.updateColors();
      liveTable.updateDays();
      const list = byId("filter-suggestions");
      if (document.activeElement !== input) list.replaceChildren(...rateChart.names.slice(0, 40).map((name) => h("option", { value: withTerm("", "name", name) })));
    }),
    update(getJSON("/v1/stats"), (stats) => {
      setText(byId("total-events"), formatCompact(stats.events ?? 0));
      byId("total-events").title = formatNumber(stats.events ?? 0) + (stats.kept_from === undefined ? "" : `, kept since ${formatDateTime(stats.kept_from)}`);
      setText(byId("total-installations"), formatCompact(stats.installations ?? 0));
      setText(byId("total-failed"), formatCompact(stats.failed ?? 0));
      byId("total-failed").dataset.tone = stats.failed > 0 ? "warn" : "neutral";
      rejections.total = stats.failed ?? 0;
      liveEvents.retry();
      showNotice([
        stats.intake_trouble ? `Events are not being accepted: ${stats.intake_trouble} Clients keep their events and retry.` : null,
        stats.trouble ? `${stats.trouble} ${stats.intake_trouble ? "Events received earlier appear" : "Events are still accepted and stored; they appear"} here once this is resolved.` : null,
      ].filter(Boolean).join(" ") || null);
    }),
    includesLedger ? update(ledger.refresh(main.dataset.view === "ledger", now), (missing) => {
      pollTimes.ledgerAfter = now + Math.max(3000, 20 * (performance.now() - requestedAt));
      setText(byId("total-missing"), formatCompact(missing));
      byId("total-missing").dataset.tone = missing > 0 ? "bad" : "good";
    }, (error) => ledger.showError(error)) : null,
    includesLedger ? update(rejections.refresh(now), () => {}, (error) => rejections.showError(error)) : null,
  ]);
  isPolling = false;
}

// MARK: Filter, pause, tabs

let typingTimer = 0;
/** Sets the filter. `isTyping`: whether the user is still typing, so that the current history entry is replaced. */
function setFilter(line, isTyping = false) {
  input.value = line;
  startStream();
  sections.updateURL(isTyping);
}

/** Removes the filter and the time range. */
function clearFilter() {
  timeRange.clear();
  setFilter("");
}

function filterBy(key, value) {
  setFilter(withTerm(input.value, key, value));
}

function togglePause() {
  if (liveTable.isPaused) liveTable.resume();
  else liveTable.pause();
  byId("pause").setAttribute("aria-pressed", String(liveTable.isPaused));
  setText(byId("pause-text"), liveTable.isPaused ? "Resume" : "Pause");
}

function showTab(view) {
  main.dataset.view = view;
  for (const name of tabs) {
    const isSelected = name === view || (!narrowLayout.matches && view === "events" && name === "ledger");
    byId(`tab-${name}`).setAttribute("aria-selected", String(isSelected));
    byId(`tab-${name}`).tabIndex = isSelected ? 0 : -1;
  }
}

function toggleStacked() {
  rateChart.setStacked(!rateChart.isStacked);
  byId("rate-stacked").setAttribute("aria-pressed", String(rateChart.isStacked));
  byId("rate-total").setAttribute("aria-pressed", String(!rateChart.isStacked));
}

byId("filter-form").addEventListener("submit", (event) => {
  event.preventDefault();
  setFilter(input.value);
});
input.addEventListener("input", () => {
  clearTimeout(typingTimer);
  // The first letter of a filter adds a history entry; further letters replace that entry.
  const isTyping = location.hash !== "";
  typingTimer = setTimeout(() => setFilter(input.value, isTyping), 250);
});
byId("pause").addEventListener("click", togglePause);
byId("pending-events").addEventListener("click", () => {
  byId("pause").setAttribute("aria-pressed", "false");
  setText(byId("pause-text"), "Pause");
});
byId("clear").addEventListener("click", () => liveEvents.clear());
byId("rate-stacked").addEventListener("click", () => rateChart.isStacked || toggleStacked());
byId("rate-total").addEventListener("click", () => rateChart.isStacked && toggleStacked());
byId("help").addEventListener("click", () => byId("shortcuts").showModal());
function selectTab(tab) {
  showTab(tab);
  sections.updateURL();
  // The full ledger is requested only while it is shown.
  if (tab === "ledger") pollTimes.ledgerAfter = 0;
  poll();
}

for (const view of tabs) {
  byId(`tab-${view}`).addEventListener("click", () => selectTab(view));
  byId(`tab-${view}`).addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    const shown = tabs.filter((name) => byId(`tab-${name}`).offsetParent !== null);
    const next = shown[(shown.indexOf(view) + step + shown.length) % shown.length];
    selectTab(next);
    byId(`tab-${next}`).focus();
  });
}
byId("key-form").addEventListener("submit", async () => {
  apiKey.set(byId("key-text").value.trim());
  await loadCalendar();
  startStream(true);
  poll();
  showAgain();
  const retry = keyRetry;
  keyRetry = null;
  retry?.();
});
byId("key-dialog").addEventListener("cancel", () => (keyRetry = null));
narrowLayout.addEventListener("change", () => showTab(main.dataset.view));

// MARK: Keys

const shortcutsEnabled = byId("shortcuts-enabled");
shortcutsEnabled.checked = localStorage.getItem("trackway.keys") !== "off";
shortcutsEnabled.addEventListener("change", () => localStorage.setItem("trackway.keys", shortcutsEnabled.checked ? "on" : "off"));

const shortcutActions = {
  "/": () => {
    // Focus the search field of the visible section.
    const field = document.querySelector("main:not([hidden]) [type=search]");
    if (field === input) selectTab("events");
    field?.focus();
    field?.select();
  },
  p: togglePause,
  j: () => liveTable.move(1, drawer.isOpen),
  k: () => liveTable.move(-1, drawer.isOpen),
  1: () => selectTab("events"),
  2: () => selectTab("ledger"),
  3: () => selectTab("failed"),
  t: toggleStacked,
  v: () => sections.toggle("users"),
  d: () => sections.toggle("devices"),
  b: () => sections.toggle("boards"),
  a: () => sections.toggle("alerts"),
  q: () => sections.toggle("insights"),
  "?": () => byId("shortcuts").showModal(),
};

document.addEventListener("keydown", (event) => {
  if (isShared || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.key === "Escape") {
    if (drawer.isOpen) drawer.close();
    else if (document.activeElement === input && input.value !== "") setFilter("");
    else document.activeElement?.blur();
    return;
  }
  const inRows = document.activeElement?.closest?.("#rows, #rows-frame");
  if (inRows && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    event.preventDefault();
    liveTable.move(event.key === "ArrowDown" ? 1 : -1, drawer.isOpen);
    return;
  }
  if (!shortcutsEnabled.checked || event.target.closest("input, textarea, select")) return;
  const action = shortcutActions[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

// MARK: Start

/** Shows the section of the URL, and shows it again if the project's calendar turns out to be another one. */
async function start() {
  setText(byId("host"), location.host);
  setText(byId("zone"), browserZone());
  sections.restore();
  startStream();
  poll();
  setInterval(poll, pollInterval);
  document.addEventListener("visibilitychange", poll);
  if (await loadCalendar()) showAgain();
}

/** Loads the visible section again. */
function showAgain() {
  if (sections.current === "insights") insights.setVisible(true);
  if (sections.current === "boards") boards.setVisible(true);
  if (sections.current === "alerts") alerts.setVisible(true);
}

if (isShared) showSharedBoard();
else start();
