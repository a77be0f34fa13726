// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Time as the clocks of a zone show it: days are asked about as they begin there, whatever zone the reader is in.

const formats = new Map();

function format(zone, options) {
  const name = `${zone} ${JSON.stringify(options)}`;
  if (!formats.has(name)) formats.set(name, new Intl.DateTimeFormat("en-GB", { timeZone: zone, ...options }));
  return formats.get(name);
}

/** The zone this browser lives in. */
export const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

/** Whether the browser knows this zone. */
export function isZone(zone) {
  try {
    return Boolean(format(zone, {}));
  } catch {
    return false;
  }
}

const digits = { hourCycle: "h23", year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit" };

/** What the clocks show, as milliseconds since 1970 as if they showed UTC. */
function shown(ms, zone) {
  const parts = Object.fromEntries(format(zone, digits).formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second) + (((ms % 1000) + 1000) % 1000);
}

/** When the day of `YYYY-MM-DD` begins in the zone; where that midnight is skipped, the moment after the gap. */
export function dayStart(date, zone) {
  const wall = Date.parse(`${date}T00:00:00Z`);
  let found = wall;
  // A guess is off by the zone's distance from UTC; where clocks change in between, by one step more.
  for (let attempt = 0; attempt < 3; attempt += 1) found -= shown(found, zone) - wall;
  return found;
}

/** The date on which a moment falls in the zone, as `YYYY-MM-DD`. */
export const dateOf = (ms, zone) => new Date(shown(ms, zone)).toISOString().slice(0, 10);

/** The date so many days later. */
export const dateAfter = (date, days) => new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);

/** Whether a text is a date of the calendar, as `YYYY-MM-DD`. */
export const isDate = (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`)) && dateAfter(text, 0) === text;

const short = { minute: { hour: "2-digit", minute: "2-digit" }, hour: { hour: "2-digit", minute: "2-digit" }, month: { month: "short", year: "numeric" }, quarter: { month: "short", year: "numeric" }, year: { year: "numeric" } };
const long = { minute: { dateStyle: "medium", timeStyle: "short" }, hour: { dateStyle: "medium", timeStyle: "short" }, month: { month: "long", year: "numeric" }, quarter: { month: "long", year: "numeric" }, year: { year: "numeric" } };

/** "14:00", "21 Nov", "Nov 2026": an interval's beginning where there is little room. */
export const shortMoment = (ms, interval, zone) => format(zone, short[interval] ?? { day: "numeric", month: "short" }).format(ms);
/** "Sat, 21 Nov 2026": the same where it stands alone. */
export const longMoment = (ms, interval, zone) => format(zone, long[interval] ?? { weekday: "short", day: "numeric", month: "short", year: "numeric" }).format(ms);
/** "21 Nov 2026, 14:32". */
export const dateAndTime = (ms, zone) => format(zone, { dateStyle: "medium", timeStyle: "short" }).format(ms);
