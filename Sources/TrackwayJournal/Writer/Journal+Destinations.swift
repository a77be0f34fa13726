// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

extension Journal {
    /// The destinations that events are kept for at present, in the order they were added.
    package var destinations: [DestinationID] { registry.withLock { $0.present } }

    /// Keeps events for a destination from now on. Does nothing when it is there already.
    ///
    /// A destination that is new gets what this process records from here on. One that was there before, in this process
    /// or an earlier one, goes on where it stopped. Any thread may call; the call may write a file.
    package func addDestination(_ id: DestinationID) {
        let beginning: (Cursor, WriterID)? = state.withLock { state in
            let end = state.beginning
            let beginning = Cursor(addedAt: end.position, next: end.next)
            let isNew = registry.withLock { $0.add(id, from: beginning) }
            state.everybodyByName = registry.withLock { $0.everybodyByName }
            return isNew ? (beginning, state.id) : nil
        }
        guard let (cursor, writer) = beginning else { return }
        do throws(StorageError) {
            // Others that deliver keep segments for those who have a cursor. One that is there says more than this.
            _ = try storage.create(folder.cursor(writer, id), with: cursor.fileBytes(of: writer, for: id))
        } catch {
            // The consumer of this process knows the beginning from memory, and writes the cursor when it moves.
        }
    }

    /// Keeps no more events for a destination. What waits for it stays until it is added again, or until the limits of
    /// age and bytes; what is recorded meanwhile is not for it. Any thread may call.
    package func removeDestination(_ id: DestinationID) {
        state.withLock { state in
            registry.withLock { $0.remove(id) }
            state.everybodyByName = registry.withLock { $0.everybodyByName }
        }
    }
}
