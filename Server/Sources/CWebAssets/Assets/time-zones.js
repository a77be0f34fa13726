// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Calculates and formats times in a time zone. A query's days begin at midnight in its own zone, regardless of the
// user's zone.

const formatCache = new Map();

function dateFormat(zone, options) {
  const name = `${zone} ${JSON.stringify(options)}`;
  if (!formatCache.has(name)) formatCache.set(name, new Intl.DateTimeFormat("en-US", { timeZone: zone, hourCycle: "h23", ...options }));
  return formatCache.get(name);
}

/** Returns this browser's time zone. */
export const browserZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

/** The project's calendar; without a zone of its own, the browser's applies. */
const calendar = { zone: null, weekStart: "monday" };

/** Sets the project's calendar, and returns whether it changed. An unknown zone or day is ignored. */
export function setCalendar({ zone, weekStart }) {
  const before = [defaultZone(), calendar.weekStart].join(" ");
  calendar.zone = typeof zone === "string" && isTimeZone(zone) ? zone : null;
  calendar.weekStart = Object.hasOwn(weekDays, weekStart) ? weekStart : "monday";
  return before !== [defaultZone(), calendar.weekStart].join(" ");
}

/** Returns the time zone of queries that name none: the project's, or this browser's. */
export const defaultZone = () => calendar.zone ?? browserZone();

const weekDays = { sunday: 0, monday: 1, saturday: 6 };
/** Returns the first day of the week that contains a date. */
export const startOfWeek = (date) => addDays(date, -((new Date(`${date}T00:00:00Z`).getUTCDay() + 7 - weekDays[calendar.weekStart]) % 7));

/** Returns whether the browser knows this zone. */
export function isTimeZone(zone) {
  try {
    return Boolean(dateFormat(zone, {}));
  } catch {
    return false;
  }
}

const wallClockFormat = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit" };

/** Returns the zone's wall-clock time as milliseconds since 1970, as if it were UTC. */
function wallClock(ms, zone) {
  const parts = Object.fromEntries(dateFormat(zone, wallClockFormat).formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second) + (((ms % 1000) + 1000) % 1000);
}

/**
 * Returns the time at which the day `YYYY-MM-DD` begins in the zone; if a clock change skips midnight, the first moment
 * after the gap.
 */
export function startOfDay(date, zone) {
  const wall = Date.parse(`${date}T00:00:00Z`);
  let found = wall;
  // The first estimate is off by the zone's UTC offset; if the offset differs at that estimate, another step is needed.
  for (let attempt = 0; attempt < 3; attempt += 1) found -= wallClock(found, zone) - wall;
  return found;
}

/** Returns the date of a time in the zone, as `YYYY-MM-DD`. */
export const dateInZone = (ms, zone) => new Date(wallClock(ms, zone)).toISOString().slice(0, 10);

/** Returns the date that is the given number of days later. */
export const addDays = (date, days) => new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);

/** Returns whether a string is a calendar date, as `YYYY-MM-DD`. */
export const isDate = (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`)) && addDays(text, 0) === text;

const shortFormats = { minute: { hour: "2-digit", minute: "2-digit" }, hour: { hour: "2-digit", minute: "2-digit" }, month: { month: "short", year: "numeric" }, quarter: { month: "short", year: "numeric" }, year: { year: "numeric" } };
const longFormats = { minute: { dateStyle: "medium", timeStyle: "short" }, hour: { dateStyle: "medium", timeStyle: "short" }, month: { month: "long", year: "numeric" }, quarter: { month: "long", year: "numeric" }, year: { year: "numeric" } };

/** Formats the start of an interval in short form: "14:00", "Nov 21", "Nov 2026". */
export const shortIntervalLabel = (ms, interval, zone) => dateFormat(zone, shortFormats[interval] ?? { day: "numeric", month: "short" }).format(ms);
/** Formats the start of an interval in long form: "Sat, Nov 21, 2026". */
export const longIntervalLabel = (ms, interval, zone) => dateFormat(zone, longFormats[interval] ?? { weekday: "short", day: "numeric", month: "short", year: "numeric" }).format(ms);
/** Formats a date and time in the zone: "Nov 21, 2026, 14:32". */
export const formatDateTimeInZone = (ms, zone) => dateFormat(zone, { dateStyle: "medium", timeStyle: "short" }).format(ms);
