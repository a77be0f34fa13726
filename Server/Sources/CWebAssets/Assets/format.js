// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Formats numbers and times.

const whole = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const two = (value) => String(value).padStart(2, "0");

/** 12,480 */
export const number = (value) => whole.format(value);
/** 12.5K from ten thousand on, exact below. */
export const compact = (value) => (value < 10_000 ? whole.format(value) : short.format(value));

/** "1 event", "2 events". */
export const counted = (value, one, many = `${one}s`) => `${number(value)} ${value === 1 ? one : many}`;

const valid = (ms) => Number.isFinite(ms) && Math.abs(ms) <= 8.64e15;

/** 14:32:08.250, local time. */
export function clock(ms) {
  if (!valid(ms)) return "–";
  const date = new Date(ms);
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

/** 14:32, local time. */
export function minute(ms) {
  if (!valid(ms)) return "–";
  const date = new Date(ms);
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** 2026-11-21 14:32:08.250, local time. */
export function dateAndClock(ms) {
  if (!valid(ms)) return "–";
  const date = new Date(ms);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clock(ms)}`;
}

/** "UTC+1", "UTC−3:30", "UTC": the offset of this browser's time zone at that time. */
export function offset(ms) {
  if (!valid(ms)) return "";
  const minutes = -new Date(ms).getTimezoneOffset();
  const size = Math.abs(minutes);
  return minutes === 0 ? "UTC" : `UTC${minutes < 0 ? "−" : "+"}${Math.floor(size / 60)}${size % 60 === 0 ? "" : `:${two(size % 60)}`}`;
}

/** 2026-11-21 14:32:08.250 UTC+1: a standalone time includes its UTC offset. */
export const exactTime = (ms) => (valid(ms) ? `${dateAndClock(ms)} ${offset(ms)}` : "–");

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const dayOfYear = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

/** 21 Nov, local time; with the year unless it is the current one. */
export function shortDate(ms, now = Date.now()) {
  if (!valid(ms)) return "–";
  return (new Date(ms).getFullYear() === new Date(now).getFullYear() ? day : dayOfYear).format(ms);
}

/** Returns whether a time is today, local time. */
export const isToday = (ms, now = Date.now()) => valid(ms) && new Date(ms).toDateString() === new Date(now).toDateString();

/** "250 ms", "3.2 s", "4 min", "2 h", "3 d"; a minus sign when negative. */
export function duration(ms) {
  const sign = ms < 0 ? "−" : "";
  const size = Math.abs(ms);
  if (size < 1000) return `${sign}${Math.round(size)} ms`;
  if (size < 60_000) return `${sign}${(size / 1000).toFixed(1)} s`;
  if (size < 3_600_000) return `${sign}${Math.round(size / 60_000)} min`;
  if (size < 86_400_000) return `${sign}${Math.round(size / 3_600_000)} h`;
  return `${sign}${Math.round(size / 86_400_000)} d`;
}

/** A time span in two units: "250 ms", "3.2 s", "1 min 17 s", "2 h 5 min", "3 d 4 h". */
export function span(ms) {
  if (ms < 59_950) return duration(ms);
  const seconds = Math.round(ms / 1000);
  const [size, unit, part, small] = seconds < 3600 ? [60, "min", 1, "s"] : seconds < 86_400 ? [3600, "h", 60, "min"] : [86_400, "d", 3600, "h"];
  const rest = Math.floor((seconds % size) / part);
  return `${Math.floor(seconds / size)} ${unit}${rest > 0 ? ` ${rest} ${small}` : ""}`;
}

/** "just now", "12 s ago", "4 min ago"; "3 d ahead" if the clock is wrong. */
export function ago(ms, now) {
  const passed = now - ms;
  if (!valid(ms)) return "–";
  if (passed < -60_000) return `${duration(-passed)} ahead`;
  if (passed < 2000) return "just now";
  return passed < 60_000 ? `${Math.round(passed / 1000)} s ago` : `${duration(passed)} ago`;
}

/** The text, truncated with "…" if it has more characters than this: a sender can send any length. */
export function cut(text, most) {
  const characters = Array.from(text);
  return characters.length > most ? `${characters.slice(0, most - 1).join("")}…` : text;
}

/** The distinctive end of an identifier: time-ordered ids share their beginning. */
export const shortID = (id) => (id && id.length > 12 ? `…${id.slice(-8)}` : id || "");

/** Makes control characters visible, so that a name cannot hide or break a line. */
export const printable = (text) => String(text).replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
