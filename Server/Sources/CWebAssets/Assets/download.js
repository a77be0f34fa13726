// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Downloads: the archive with everything about a user or a visitor, and text that the page has.

import { APIError, apiKey, errorMessage, requestHeaders } from "./api.js";
import { h, setText } from "./dom.js";

/** The URL of the last download, revoked by the next one; a revoked URL could end a download that has not begun. */
let lastURL = null;

/**
 * Downloads the archive at `path`, and reports progress in `note`. Without a key, the browser streams the response to
 * disk. A key must be sent in a header, which only a script can do.
 */
export async function downloadArchive(path, note) {
  if (apiKey.get() === "") {
    h("a", { href: path, download: "" }).click();
    return;
  }
  setText(note, "Preparing the archive…");
  try {
    const response = await fetch(path, { headers: requestHeaders("application/zip, application/json") });
    if (!response.ok) throw new APIError(response.status, (await response.json()).error);
    const name = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? "export.zip";
    if (lastURL !== null) URL.revokeObjectURL(lastURL);
    lastURL = URL.createObjectURL(await response.blob());
    h("a", { href: lastURL, download: name }).click();
    setText(note, "");
  } catch (error) {
    setText(note, errorMessage(error));
  }
}

/** Saves text as a file. */
export function downloadText(text, type, name) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: url, download: name }).click();
  // A URL that is revoked at once could end a download that has not begun.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
