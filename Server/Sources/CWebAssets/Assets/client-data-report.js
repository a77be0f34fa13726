// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Downloads the client data report: a table of how an application was used.

import { apiKey, requestHeaders } from "./api.js";
import { byId, h, setText } from "./dom.js";

const oneDay = 86_400_000;

/** Returns the URL of the report described by the form. Days are in this browser's time zone. */
function reportURL() {
  const query = new URLSearchParams();
  const application = byId("report-application").value.trim();
  if (application !== "") query.set("application", application);
  for (const [name, id, offset] of [["from", "report-from", 0], ["to", "report-to", oneDay]]) {
    const text = byId(id).value;
    if (text !== "") query.set(name, String(new Date(`${text}T00:00:00`).getTime() + offset));
  }
  return `/v1/reports/usage?${query}`;
}

/**
 * Downloads the report. Without a key, the browser streams the response to disk. A key must be sent in a header, which
 * only a script can do.
 */
async function download() {
  if (apiKey.get() === "") {
    location.assign(reportURL());
    return;
  }
  setText(byId("report-note"), "Preparing the report…");
  const response = await fetch(reportURL(), { headers: requestHeaders("text/csv") });
  if (!response.ok) throw new Error(`The collector returned status ${response.status}.`);
  const objectURL = URL.createObjectURL(await response.blob());
  h("a", { href: objectURL, download: "client-data-report.csv" }).click();
  URL.revokeObjectURL(objectURL);
  setText(byId("report-note"), "");
}

/** Sets up the form, which downloads the report when it is submitted. */
export function setUpReportForm() {
  byId("report").addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await download();
    } catch (error) {
      setText(byId("report-note"), error.message);
    }
  });
}
