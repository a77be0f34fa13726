// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Downloads the client data report: a table of how an application was used.

import { headers, key } from "./ask.js";
import { byId, h, setText } from "./dom.js";

const day = 86_400_000;

/** Returns the URL of the report described by the form. Days are in this browser's time zone. */
function address() {
  const query = new URLSearchParams();
  const application = byId("report-application").value.trim();
  if (application !== "") query.set("application", application);
  for (const [name, id, later] of [["from", "report-from", 0], ["to", "report-to", day]]) {
    const text = byId(id).value;
    if (text !== "") query.set(name, String(new Date(`${text}T00:00:00`).getTime() + later));
  }
  return `/v1/reports/usage?${query}`;
}

/** Without a key, the browser streams the response to disk. A key must be sent in a header, which only a script can do. */
async function download() {
  if (key.get() === "") {
    location.assign(address());
    return;
  }
  setText(byId("report-note"), "Preparing the report…");
  const answer = await fetch(address(), { headers: headers("text/csv") });
  if (!answer.ok) throw new Error(`The collector returned status ${answer.status}.`);
  const place = URL.createObjectURL(await answer.blob());
  h("a", { href: place, download: "client-data-report.csv" }).click();
  URL.revokeObjectURL(place);
  setText(byId("report-note"), "");
}

/** Connects the form to the download. */
export function followReportForm() {
  byId("report").addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await download();
    } catch (error) {
      setText(byId("report-note"), error.message);
    }
  });
}
