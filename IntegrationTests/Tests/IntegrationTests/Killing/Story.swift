// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Stage

/// What the processes of one folder said, one after the other, on one time line: the number of a line is its moment.
struct Story {
    /// Names an event in whatever hands it is.
    struct Key: Hashable {
        var run: String
        var thread: Int
        var number: Int

        init(run: String, thread: Int, number: Int) {
            self.run = run
            self.thread = thread
            self.number = number
        }

        /// The key of an event a recorder recorded; nil for one of the SDK's own.
        init?(_ row: CollectedRow) {
            guard let run = row.text("run"), let thread = row.number("thread"), let number = row.number("n") else {
                return nil
            }
            self.init(run: run, thread: thread, number: number)
        }
    }

    /// An event about which `record` said something.
    struct Event {
        var key: Key
        /// The number of the process that recorded it, from 1.
        var life: Int
        var sequence: UInt64
        /// Why it was not recorded; nil when it was.
        var refusal: String?
        /// True when only memory held it, which a kill takes along.
        var isHeld: Bool
        /// It was recorded between these two moments.
        var span: ClosedRange<Int>

        /// Whether a kill leaves it.
        var isKept: Bool { refusal == nil && !isHeld }
    }

    /// Something a process was told to do.
    struct Order {
        var words: [String]
        var began: Int
        /// When it was done, or when the next process began, if a kill came between.
        var ended: Int?
        /// Whether the process said that it was done.
        var isDone = false

        /// Whether it was over, or never begun, when a span began; false when it may have had a say in it.
        func isOver(by moment: Int) -> Bool { ended.map { $0 <= moment } ?? false }
    }

    /// What counts, as a process found it when it began.
    struct Consent {
        var word: String
        var at: Int
    }

    /// An installation's erasing that a process saw through.
    struct Erasing: Hashable {
        var former: String
        var now: String
    }

    /// Events that a process read back, and when it said that it had removed them; nil when it did not come to that.
    struct Export {
        var keys: [Key] = []
        var removed: Int?
        var began: Int
    }

    private(set) var events: [Event] = []
    private(set) var exports: [Export] = []
    private(set) var orders: [Order] = []
    private(set) var consents: [Consent] = []
    /// The installation's ids, in the order in which they were first seen.
    private(set) var installations: [String] = []
    private(set) var erasings: [Erasing] = []
    private(set) var lives = 0
    /// What no process should have said.
    private(set) var faults: [String] = []
    private var now = 0
    /// The last account of each installation.
    private var accounts: [String: [String: RecorderLedger]] = [:]

    /// Everything recorded, as far as it was said.
    var kept: [Event] { events.filter(\.isKept) }

    /// Adds what a process said from its beginning to its end.
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
                // A kill may have cut the line.
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

    /// What was ordered and found, in short, for whoever looks for the reason of a failure.
    var outline: String {
        let told = orders.map { ($0.began, "\($0.words.joined(separator: " "))\($0.isDone ? "" : " (killed)")") }
        let found = consents.map { ($0.at, "begins \($0.word)") }
        return (told + found).sorted { $0.0 < $1.0 }.map { "\($0.0): \($0.1)" }.joined(separator: ", ")
    }

    /// A new process begins: what the last one was killed in is over, one way or the other.
    private mutating func begin() {
        now += 1
        guard let order = orders.last, order.ended == nil else { return }
        orders[orders.count - 1].ended = now
    }

    private mutating func notice(_ installation: String) {
        if !installations.contains(installation) { installations.append(installation) }
    }

    /// The ledger adds up whenever it is asked for, and what it counted it never forgets.
    private mutating func check(_ line: String) throws {
        let ledgers = try RecorderLedger.all(line)
        guard let installation = installations.last else { return }
        for (destination, ledger) in ledgers {
            if !ledger.isBalanced { faults.append("life \(lives), \(destination): unbalanced \(ledger)") }
            guard let before = accounts[installation]?[destination] else { continue }
            // Only the whole: what is for others counts for a destination until its turn comes.
            if ledger.total < before.total {
                faults.append("life \(lives), \(destination): recorded shrank from \(before) to \(ledger)")
            }
            if ledger.droppedTotal < before.droppedTotal {
                faults.append("life \(lives), \(destination): losses were forgotten, from \(before) to \(ledger)")
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
        // A kill may have cut the line.
        guard words.count == (words.first == "lost" ? 5 : 4), let sequence = UInt64(words[1]),
            let thread = Int(words[2]), let number = Int(words[3])
        else { return nil }
        return Event(
            key: Key(run: run, thread: thread, number: number),
            life: life,
            sequence: sequence,
            refusal: words.count == 5 ? words[4] : nil,
            isHeld: words[0] == "held",
            // A thread says one thing after the other: it recorded this one after it had spoken of the one before.
            span: (last[thread] ?? birth)...now
        )
    }
}
