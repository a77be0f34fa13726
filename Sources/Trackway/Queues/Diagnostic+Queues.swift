// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
internal import TrackwayJournal

extension Diagnostic.Code {
    /// What must be remembered of queues cannot be read or written now; events are recorded and sent all the same.
    public static let streamsNotKept = Diagnostic.Code(rawValue: "streams_not_kept")
    /// What earlier runs had remembered of queues could not be understood.
    public static let streamsDamaged = Diagnostic.Code(rawValue: "streams_damaged")
}

extension DropReason {
    /// The event said what the last one in its queue had said, too soon after it; see
    /// `QueuePolicy.acceptSameEventAfter`.
    public static let duplicate = DropReason(rawValue: "duplicate")
}

extension TrackwayError.Code {
    /// There are as many destinations as there may be at a time.
    public static let tooManyDestinations = TrackwayError.Code(rawValue: "too_many_destinations")
}

extension Diagnostic {
    static func streamsDamaged(_ why: String) -> Diagnostic {
        Diagnostic(
            code: .streamsDamaged,
            field: "streams",
            value: why,
            remedy:
                "Nothing is lost. Queues begin with no upload and no last event; add the destinations of run time again."
        )
    }

    static func streamsNotKept(_ error: StorageError) -> Diagnostic {
        Diagnostic(
            code: .streamsNotKept,
            field: "streams",
            value: "\(error)",
            remedy: "Free some space or make the storage folder writable; what is remembered of queues holds in this "
                + "process and is written with the next change. No event is lost."
        )
    }
}

extension TrackwayError {
    init(alreadyThere id: DestinationID) {
        self.init(
            .duplicateDestination,
            "a destination has the id \"\(id)\" already; remove it first, call replace to give it new settings, or give the "
                + "new one another id"
        )
    }

    init(tooMany id: DestinationID, most: Int) {
        self.init(
            .tooManyDestinations,
            "\"\(id)\" was not added, because there are \(most) destinations; remove some that are not needed first"
        )
    }
}
