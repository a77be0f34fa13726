// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The project's time zone and week start, which the collector's operator sets.

import { getJSON } from "./api.js";
import { setCalendar } from "./time-zones.js";

/**
 * Loads the project's calendar, and returns whether it differs from the one that applied until now. Without an answer,
 * the browser's time zone and weeks from Monday apply.
 */
export async function loadCalendar() {
  try {
    const settings = await getJSON("/v1/settings");
    return setCalendar({ zone: settings.time_zone, weekStart: settings.week_start });
  } catch {
    // The queries that follow report the problem, such as a missing key.
    return false;
  }
}

/** Returns the time of the first event, to a quarter of an hour; null without events. */
export const firstEvent = async (signal) => (await getJSON("/v1/settings", signal)).first_event ?? null;
