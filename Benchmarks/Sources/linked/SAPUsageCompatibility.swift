// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import SAPUsageCompatibility

/// Uses SAP's calls and the module's own uploader.
@main
struct LinkedUsage {
    static func main() throws {
        Usage.shared.configure(with: try UsageStore())
        Usage.shared.reporter().report(.event("started"), info: ["value": 1])
        UsageBroker.shared.stop()
    }
}
