// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// swift-format-ignore-file

import SAPUsageCompatibility

/// The document's four steps of a custom uploader, which it describes in words.
func documentUploadsByItself(_ upload: ([UsageRecord]) -> Bool) -> Int {
// Retrieve the snapshot for a given target using: Usage.store.snapshot(for:).
guard let snapshot = Usage.shared.store?.snapshot(for: "myTarget") else { return 0 }
// Read all records from the snapshot and create the proper data format. Use UsageSnapshot.records() to enumerate the records.
var records: [UsageRecord] = []
snapshot.records { record in
records.append(record)
return true
}
// Upload the generated data to the server.
guard upload(records) else { return 0 }
// If the upload is successful, delete the original records calling UsageSnapshot.removeRecords().
snapshot.removeRecords()
return records.count
}
