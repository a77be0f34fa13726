// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Which page this is: one board for whoever came by a link, or all of it. Whoever has only a link asks for nothing else.

if (/[?&]link=/.test(location.search)) import("./shared.js");
else import("./app.js");
