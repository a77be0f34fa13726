// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Times in a time zone: a query's days begin at midnight there, regardless of the reader's zone.

const formats = new Map();

function format(zone, options) {
  const name = `${zone} ${JSON.stringify(options)}`;
  if (!formats.has(name)) formats.set(name, new Intl.DateTimeFormat("en-GB", { timeZone: zone, ...options }));
  return formats.get(name);
}

/** Returns this browser's time zone. */
export const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

/** Returns whether the browser knows this zone. */
export function isZone(zone) {
  try {
    return Boolean(format(zone, {}));
  } catch {
    return false;
  }
}

const digits = { hourCycle: "h23", year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit" };

/** Returns the zone's wall-clock time as milliseconds since 1970, as if it were UTC. */
function shown(ms, zone) {
  const parts = Object.fromEntries(format(zone, digits).formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second) + (((ms % 1000) + 1000) % 1000);
}

/** Returns when the day `YYYY-MM-DD` begins in the zone; if that midnight is skipped, the first moment after the gap. */
export function dayStart(date, zone) {
  const wall = Date.parse(`${date}T00:00:00Z`);
  let found = wall;
  // The first guess is off by the zone's UTC offset; if the offset changes in between, another step is needed.
  for (let attempt = 0; attempt < 3; attempt += 1) found -= shown(found, zone) - wall;
  return found;
}

/** Returns the date of a time in the zone, as `YYYY-MM-DD`. */
export const dateOf = (ms, zone) => new Date(shown(ms, zone)).toISOString().slice(0, 10);

/** Returns the date the given number of days later. */
export const dateAfter = (date, days) => new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);

/** Returns whether a string is a calendar date, as `YYYY-MM-DD`. */
export const isDate = (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`)) && dateAfter(text, 0) === text;

const short = { minute: { hour: "2-digit", minute: "2-digit" }, hour: { hour: "2-digit", minute: "2-digit" }, month: { month: "short", year: "numeric" }, quarter: { month: "short", year: "numeric" }, year: { year: "numeric" } };
const long = { minute: { dateStyle: "medium", timeStyle: "short" }, hour: { dateStyle: "medium", timeStyle: "short" }, month: { month: "long", year: "numeric" }, quarter: { month: "long", year: "numeric" }, year: { year: "numeric" } };

/** "14:00", "21 Nov", "Nov 2026": the start of an interval, in short form. */
export const shortMoment = (ms, interval, zone) => format(zone, short[interval] ?? { day: "numeric", month: "short" }).format(ms);
/** "Sat, 21 Nov 2026": the start of an interval, in long form. */
export const longMoment = (ms, interval, zone) => format(zone, long[interval] ?? { weekday: "short", day: "numeric", month: "short", year: "numeric" }).format(ms);
/** "21 Nov 2026, 14:32". */
export const dateAndTime = (ms, zone) => format(zone, { dateStyle: "medium", timeStyle: "short" }).format(ms);
