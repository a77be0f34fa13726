// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Formats numbers and times.

const integerFormat = new Intl.NumberFormat("en");
const compactFormat = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const padTwo = (value) => String(value).padStart(2, "0");

/** Formats a number: 12,480. */
export const formatNumber = (value) => integerFormat.format(value);
/** Formats a number compactly: 12.5K. Numbers below ten thousand are exact. */
export const formatCompact = (value) => (value < 10_000 ? integerFormat.format(value) : compactFormat.format(value));

/** Formats a count with its noun: "1 event", "2 events". */
export const pluralize = (value, singular, plural = `${singular}s`) => `${formatNumber(value)} ${value === 1 ? singular : plural}`;

const isValidTime = (ms) => Number.isFinite(ms) && Math.abs(ms) <= 8.64e15;

/** Formats a local time: 14:32:08.250. */
export function formatTime(ms) {
  if (!isValidTime(ms)) return "–";
  const date = new Date(ms);
  return `${padTwo(date.getHours())}:${padTwo(date.getMinutes())}:${padTwo(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

/** Formats a local time: 14:32. */
export function formatShortTime(ms) {
  if (!isValidTime(ms)) return "–";
  const date = new Date(ms);
  return `${padTwo(date.getHours())}:${padTwo(date.getMinutes())}`;
}

/** Formats a local date and time: 2026-11-21 14:32:08.250. */
export function formatDateTime(ms) {
  if (!isValidTime(ms)) return "–";
  const date = new Date(ms);
  return `${date.getFullYear()}-${padTwo(date.getMonth() + 1)}-${padTwo(date.getDate())} ${formatTime(ms)}`;
}

/** Returns the UTC offset of this browser's time zone at a time: "UTC+1", "UTC−3:30", "UTC". */
export function utcOffset(ms) {
  if (!isValidTime(ms)) return "";
  const minutes = -new Date(ms).getTimezoneOffset();
  const size = Math.abs(minutes);
  return minutes === 0 ? "UTC" : `UTC${minutes < 0 ? "−" : "+"}${Math.floor(size / 60)}${size % 60 === 0 ? "" : `:${padTwo(size % 60)}`}`;
}

/** Formats a standalone time, with its UTC offset: 2026-11-21 14:32:08.250 UTC+1. */
export const formatExactTime = (ms) => (isValidTime(ms) ? `${formatDateTime(ms)} ${utcOffset(ms)}` : "–");

const dayFormat = new Intl.DateTimeFormat("en-US", { day: "numeric", month: "short" });
const dayWithYearFormat = new Intl.DateTimeFormat("en-US", { day: "numeric", month: "short", year: "numeric" });

/** Formats a local date: Nov 21. The year is included unless it is the current year. */
export function formatShortDate(ms, now = Date.now()) {
  if (!isValidTime(ms)) return "–";
  return (new Date(ms).getFullYear() === new Date(now).getFullYear() ? dayFormat : dayWithYearFormat).format(ms);
}

/** Returns whether a time falls on the current local day. */
export const isToday = (ms, now = Date.now()) => isValidTime(ms) && new Date(ms).toDateString() === new Date(now).toDateString();

/** Formats a local date: "today" or "Nov 21". */
export const formatDay = (ms, now = Date.now()) => (isToday(ms, now) ? "today" : formatShortDate(ms, now));

/** Formats a local date and time: "today 14:32" or "Nov 21 14:32". */
export const formatDayAndTime = (ms, now = Date.now()) => `${formatDay(ms, now)} ${formatShortTime(ms)}`;

/** Formats a duration in one unit: "250 ms", "3.2 s", "4 min", "2 h", "3 d". Negative durations have a minus sign. */
export function formatDuration(ms) {
  const sign = ms < 0 ? "−" : "";
  const size = Math.abs(ms);
  if (size < 1000) return `${sign}${Math.round(size)} ms`;
  if (size < 60_000) return `${sign}${(size / 1000).toFixed(1)} s`;
  if (size < 3_600_000) return `${sign}${Math.round(size / 60_000)} min`;
  if (size < 86_400_000) return `${sign}${Math.round(size / 3_600_000)} h`;
  return `${sign}${Math.round(size / 86_400_000)} d`;
}

/** Formats a duration in up to two units: "250 ms", "3.2 s", "1 min 17 s", "2 h 5 min", "3 d 4 h". */
export function formatLongDuration(ms) {
  if (ms < 59_950) return formatDuration(ms);
  const seconds = Math.round(ms / 1000);
  const [size, unit, part, small] = seconds < 3600 ? [60, "min", 1, "s"] : seconds < 86_400 ? [3600, "h", 60, "min"] : [86_400, "d", 3600, "h"];
  const rest = Math.floor((seconds % size) / part);
  return `${Math.floor(seconds / size)} ${unit}${rest > 0 ? ` ${rest} ${small}` : ""}`;
}

/** Formats a time relative to `now`: "just now", "12 s ago", "4 min ago", or "3 d ahead" if the clock is wrong. */
export function timeAgo(ms, now) {
  const elapsed = now - ms;
  if (!isValidTime(ms)) return "–";
  if (elapsed < -60_000) return `${formatDuration(-elapsed)} ahead`;
  if (elapsed < 2000) return "just now";
  return elapsed < 60_000 ? `${Math.round(elapsed / 1000)} s ago` : `${formatDuration(elapsed)} ago`;
}

/** Truncates a text that exceeds the maximum length, and appends "…". Senders can send text of any length. */
export function truncate(text, maximumLength) {
  const characters = Array.from(text);
  return characters.length > maximumLength ? `${characters.slice(0, maximumLength - 1).join("")}…` : text;
}

/** Returns the distinctive end of an identifier, because time-ordered ids have similar beginnings. */
export const shortID = (id) => (id && id.length > 12 ? `…${id.slice(-8)}` : id || "");

/** Makes control characters visible, so that a name cannot hide or break a line. */
export const printable = (text) => String(text).replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
