// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Stage

/// The output of successive processes of one folder on one timeline: a line's number is its moment.
struct Story {
    /// Identifies an event.
    struct Key: Hashable {
        var run: String
        var thread: Int
        var number: Int

        init(run: String, thread: Int, number: Int) {
            self.run = run
            self.thread = thread
            self.number = number
        }

        /// The key of a recorder's event; nil for an event of the SDK.
        init?(_ row: CollectedRow) {
            guard let run = row.text("run"), let thread = row.number("thread"), let number = row.number("n") else {
                return nil
            }
            self.init(run: run, thread: thread, number: number)
        }
    }

    /// An event for which `record` returned a result.
    struct Event {
        var key: Key
        /// The number of the recording process, starting at 1.
        var life: Int
        var sequence: UInt64
        /// The reason why it was not recorded; nil if it was.
        var refusal: String?
        /// True if only memory holds the event, so that a kill loses it.
        var isHeld: Bool
        /// The event was recorded between these two moments.
        var span: ClosedRange<Int>

        /// Whether the event survives a kill.
        var isKept: Bool { refusal == nil && !isHeld }
    }

    /// A command that was sent to a process.
    struct Order {
        var words: [String]
        var began: Int
        /// When it completed, or when the next process started if it was interrupted by a kill.
        var ended: Int?
        /// Whether the process reported its completion.
        var isDone = false

        /// Whether the command had ended by this moment.
        ///
        /// False if it may have had an effect after it.
        func isOver(by moment: Int) -> Bool { ended.map { $0 <= moment } ?? false }
    }

    /// The consent that a process found at its start.
    struct Consent {
        var word: String
        var at: Int
    }

    /// A completed erasure of an installation.
    struct Erasing: Hashable {
        var former: String
        var now: String
    }

    /// Events that a process read, and when it reported that it removed them; nil if it did not get that far.
    struct Export {
        var keys: [Key] = []
        var removed: Int?
        var began: Int
    }

    private(set) var events: [Event] = []
    private(set) var exports: [Export] = []
    private(set) var orders: [Order] = []
    private(set) var consents: [Consent] = []
    /// The installation's ids in order of appearance.
    private(set) var installations: [String] = []
    private(set) var erasings: [Erasing] = []
    private(set) var lives = 0
    /// Unexpected output.
    private(set) var faults: [String] = []
    private var now = 0
    /// The last ledgers of each installation.
    private var accounts: [String: [String: RecorderLedger]] = [:]

    /// All events that were reported as recorded.
    var kept: [Event] { events.filter(\.isKept) }

    /// Adds the complete output of a process.
    mutating func add(_ lines: [String], run: String) throws {
        lives += 1
        begin()
        var last: [Int: Int] = [:]
        let birth = now
        for line in lines {
            now += 1
            let (word, rest) = Self.halves(line)
            switch word {
            case "kept", "held", "lost":
                guard let event = Self.event(line, run: run, life: lives, since: last, birth: birth, now: now) else {
                    continue
                }
                events.append(event)
                last[event.key.thread] = now
            case "order":
                orders.append(Order(words: rest.split(separator: " ").map(String.init), began: now))
                last[0] = now
            case "ok":
                if orders.last?.ended == nil, !orders.isEmpty {
                    orders[orders.count - 1].ended = now
                    orders[orders.count - 1].isDone = true
                }
                last[0] = now
            case "ready":
                notice(rest)
            case "erased":
                let ids = rest.split(separator: " ").map(String.init)
                guard ids.count == 2 else { continue }
                erasings.append(Erasing(former: ids[0], now: ids[1]))
                notice(ids[1])
            case "exporting":
                exports.append(Export(began: now))
            case "uploaded":
                let words = rest.split(separator: " ").map(String.init)
                // A kill may have truncated the line.
                guard words.count == 3, let thread = Int(words[1]), let number = Int(words[2]) else { continue }
                exports[exports.count - 1].keys.append(Key(run: words[0], thread: thread, number: number))
            case "removed":
                exports[exports.count - 1].removed = now
            case "consent":
                consents.append(Consent(word: rest, at: now))
            case "ledger":
                try check(rest)
            case "failed":
                faults.append("life \(lives): \(line)")
            default:
                continue
            }
        }
    }

    /// A summary of commands and initial states, for investigating a failure.
    var outline: String {
        let told = orders.map { ($0.began, "\($0.words.joined(separator: " "))\($0.isDone ? "" : " (killed)")") }
        let found = consents.map { ($0.at, "begins \($0.word)") }
        return (told + found).sorted { $0.0 < $1.0 }.map { "\($0.0): \($0.1)" }.joined(separator: ", ")
    }

    /// Starts a new process, which ends the interrupted command of the previous one.
    private mutating func begin() {
        now += 1
        guard let order = orders.last, order.ended == nil else { return }
        orders[orders.count - 1].ended = now
    }

    private mutating func notice(_ installation: String) {
        if !installations.contains(installation) { installations.append(installation) }
    }

    /// Checks that the ledger is balanced and that its counts never shrink.
    private mutating func check(_ line: String) throws {
        let ledgers = try RecorderLedger.all(line)
        guard let installation = installations.last else { return }
        for (destination, ledger) in ledgers {
            if !ledger.isBalanced { faults.append("life \(lives), \(destination): unbalanced \(ledger)") }
            guard let before = accounts[installation]?[destination] else { continue }
            // Only the total is compared: events for other destinations count for a destination until it has read them.
            if ledger.total < before.total {
                faults.append("life \(lives), \(destination): recorded shrank from \(before) to \(ledger)")
            }
            if ledger.droppedTotal < before.droppedTotal {
                faults.append("life \(lives), \(destination): dropped shrank from \(before) to \(ledger)")
            }
        }
        accounts[installation, default: [:]].merge(ledgers) { $1 }
    }

    private static func halves(_ line: String) -> (word: String, rest: String) {
        let word = line.prefix { $0 != " " }
        return (String(word), String(line.dropFirst(word.count + 1)))
    }

    private static func event(
        _ line: String,
        run: String,
        life: Int,
        since last: [Int: Int],
        birth: Int,
        now: Int
    ) -> Event? {
        let words = line.split(separator: " ").map(String.init)
        // A kill may have truncated the line.
        guard words.count == (words.first == "lost" ? 5 : 4), let sequence = UInt64(words[1]),
            let thread = Int(words[2]), let number = Int(words[3])
        else { return nil }
        return Event(
            key: Key(run: run, thread: thread, number: number),
            life: life,
            sequence: sequence,
            refusal: words.count == 5 ? words[4] : nil,
            isHeld: words[0] == "held",
            // A thread reports its events in order: it recorded this one after it had reported the previous one.
            span: (last[thread] ?? birth)...now
        )
    }
}
