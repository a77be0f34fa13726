// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayCore
internal import TrackwayJournal

/// The demonstration of the whole system.
///
/// A shop process is killed during a purchase, phones are simulated, one destination is faulty, and the ledger still
/// balances.
struct Demo: Sendable {
    /// The shop's executable.
    var shop: String
    /// The number of visitors.
    var visitors: Int
    /// The folder for all data.
    var folder: String
    /// The main collector's address.
    var collector: CollectorAddress
    /// The second destination's collector; the shop knows only its proxy.
    var audit: CollectorAddress
    /// The collector that receives usage reports.
    var usage: CollectorAddress
    /// The proxy's address, as passed to the shop.
    var flaky: String
    /// The key that the collectors accept.
    var key: String
    /// The console that shows the progress.
    var console: Console

    /// The second destination's name.
    static let auditID: DestinationID = "audit"
    /// The name of the destination that receives usage reports.
    static let usageID: DestinationID = "sap-mobile-services"
    /// The main destination's name.
    static let collectorID: DestinationID = "collector"
    /// The maximum number of attempts to deliver pending events and balance the ledger.
    private static let attempts = 10

    /// The simulated phones, each a separate installation.
    private static let phones: [Int] = [1, 2, 3]
    /// The number of visitors on each phone.
    private static let visitorsPerPhone = 6

    /// Returns the journal folder of this machine's shop or of a simulated phone.
    private func journal(_ phone: Int?) -> String { folder + (phone.map { "/phone-\($0)" } ?? "/shop") }
    /// The journal of the shop whose visitors withdraw consent.
    private var withdrawalJournal: String { folder + "/wavering" }
    /// The journal of the shop whose data is erased.
    private var erasureJournal: String { folder + "/forgotten" }
    /// The journal of the shop that reports its usage.
    private var usageJournal: String { folder + "/reporting" }
    /// The journals of all shops.
    private var journals: [String] {
        ([nil] + Self.phones).map(journal) + [withdrawalJournal, usageJournal, erasureJournal]
    }

    /// Runs the shops until the collectors have all events.
    ///
    /// Two of the shops are killed once and restarted.
    ///
    /// - Returns: The destinations' accounts.
    func run() async throws(CommandFailure) -> [DemoAccount] {
        console.write("Shop       \(visitors) visitors, each step recorded and addressed to two destinations")
        console.write(
            "Phones     \(Self.phones.count) more shops take snapshots of simulated phones (battery, route, networks)"
        )
        console.write(
            "Privacy    one shop whose visitors withdraw consent, killed once; one whose data is erased"
        )
        // Each shop has its own journal, so the shops can run concurrently.
        async let phones = simulatePhones()
        async let privacy = outcome { () throws(CommandFailure) in try await changeConsent() }
        async let usage = outcome { () throws(CommandFailure) in try await reportUsage() }
        let main = await outcome { () throws(CommandFailure) in try await serveVisitors() }
        for outcome in await [main, privacy, usage] + phones { try outcome.get() }
        var accounts = try await accounts()
        // The faulty destination may still be catching up; another visitor gives it more time.
        for _ in 0..<Self.attempts where !accounts.allSatisfy(\.isBalanced) {
            if accounts.contains(where: { $0.pending > 0 }) {
                for phone in [nil] + Self.phones { try check(try await visit(1, seed: 3, phone: phone)) }
                try check(try await visit(1, seed: 3, in: usageJournal, reports))
                for journal in [withdrawalJournal, erasureJournal] {
                    try check(try await visit(1, seed: 3, in: journal, ["--till", "\(Self.auditID)"]))
                }
            }
            accounts = try await self.accounts()
        }
        return accounts
    }

    private func outcome(
        _ work: @Sendable () async throws(CommandFailure) -> Void
    ) async -> Result<Void, CommandFailure> {
        do throws(CommandFailure) {
            return .success(try await work())
        } catch {
            return .failure(error)
        }
    }

    /// Runs the shop whose progress is shown.
    ///
    /// The shop is killed while a visitor pays, and then restarted.
    private func serveVisitors() async throws(CommandFailure) {
        let killedVisitor = max(1, visitors * 2 / 5)
        let first = try await visit(visitors, seed: 1, killingAt: killedVisitor, showsProgress: true)
        guard case .killed(let visitor) = first else { return try check(first) }
        console.write("kill -9    visitor \(visitor) was paying when the shop process was killed; it is restarted")
        try check(try await visit(max(1, visitors - visitor + 1), seed: 2, showsProgress: true))
    }

    private func simulatePhones() async -> [Result<Void, CommandFailure>] {
        await withTaskGroup { group in
            for phone in Self.phones {
                group.addTask {
                    await outcome { () throws(CommandFailure) in
                        try check(try await visit(Self.visitorsPerPhone, seed: 10 + phone, phone: phone))
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Runs a shop whose visitors change consent, and a shop whose data is erased.
    ///
    /// Visitors withdraw consent and give it again.
    private func changeConsent() async throws(CommandFailure) {
        // Events of the till go to only one destination; the other destination must not count the events as missing.
        let auditArguments = ["--till", "\(Self.auditID)"]
        let withdrawalArguments = auditArguments + ["--waver"]
        try check(try await visit(6, seed: 20, in: withdrawalJournal, withdrawalArguments, killingAt: 3))
        try check(try await visit(6, seed: 21, in: withdrawalJournal, withdrawalArguments))
        try check(try await visit(3, seed: 22, in: erasureJournal, auditArguments + ["--forget"]))
    }

    /// Runs a shop that reports its usage in another format.
    ///
    /// The shop first requests consent halfway through its second run.
    private func reportUsage() async throws(CommandFailure) {
        try check(try await visit(3, seed: 23, in: usageJournal, reports + ["--agree-after", "3"]))
        let device = try ledger(of: [usageJournal])
        let pendingReports = device.recorded(for: Self.usageID)
        let early = try await rows(CollectorClient(usage)).count
        guard early == 0, device.pending(for: Self.usageID) == pendingReports else {
            throw CommandFailure(
                .internalFailure,
                "of \(pendingReports) usage reports recorded before consent, \(early) reached the collector, "
                    + "and \(device.pending(for: Self.usageID)) are pending"
            )
        }
        try check(try await visit(4, seed: 24, in: usageJournal, reports + ["--agree-after", "2"]))
        console.write(
            "Usage      one shop reports to SAP Mobile Services: \(pendingReports.grouped) parked until consent, then sent"
        )
    }

    /// The arguments of the shop that reports its usage.
    private var reports: [String] { ["--till", "\(Self.auditID)", "--usage", usage.root] }

    private func visit(
        _ visitors: Int,
        seed: Int,
        phone: Int? = nil,
        killingAt killedVisitor: Int? = nil,
        showsProgress: Bool = false
    ) async throws(CommandFailure) -> ShopRun.End {
        let options = phone.map { ["--phone", "\($0)"] } ?? []
        return try await visit(
            visitors,
            seed: seed,
            in: journal(phone),
            options,
            killingAt: killedVisitor,
            showsProgress: showsProgress
        )
    }

    private func visit(
        _ visitors: Int,
        seed: Int,
        in journal: String,
        _ options: [String],
        killingAt killedVisitor: Int? = nil,
        showsProgress: Bool = false
    ) async throws(CommandFailure) -> ShopRun.End {
        let run = ShopRun(
            executable: shop,
            arguments: [
                "--visitors", "\(visitors)", "--seed", "\(seed)", "--collector", collector.root, "--key", key,
                "--also", "\(Self.auditID)=\(flaky)", "--data", journal,
            ] + options
        )
        var bar = ProgressBar(total: UInt64(visitors))
        let end = try await run.run(killingAtCheckoutOf: killedVisitor) { step in
            guard showsProgress else { return }
            bar.done = UInt64(step.visitor)
            bar.note = "visitor \(step.visitor) \(step.action)"
            console.redraw(bar.line(width: console.width))
        }
        if showsProgress { console.redraw("") }
        return end
    }

    private func check(_ end: ShopRun.End) throws(CommandFailure) {
        guard case .exited(let status) = end, status != 0 else { return }
        throw CommandFailure(
            .internalFailure,
            "the shop ended with status \(status)",
            remedy: "run it manually to find the cause: \(shop) --visitors 1"
        )
    }

    /// Returns the current accounts of devices and collectors.
    func accounts() async throws(CommandFailure) -> [DemoAccount] {
        let device = try ledger(of: journals)
        return [
            // The first two destinations each receive one erasure request; later visitors use a new installation.
            try await account(Self.collectorID, at: collector, device, erasures: 1),
            try await account(Self.auditID, at: audit, device, erasures: 1),
            try await account(Self.usageID, at: usage, try ledger(of: [usageJournal]), erasures: 0),
        ]
    }

    private func ledger(of journals: [String]) throws(CommandFailure) -> DeviceLedger {
        var device = DeviceLedger()
        for journal in journals {
            do {
                device.add(DeviceLedger(try JournalInspector(folder: journal).inspect()))
            } catch {
                throw CommandFailure(error, path: journal)
            }
        }
        return device
    }

    /// Whether both collectors account for every sequence number reported by any device.
    ///
    /// `trackway ledger --check` performs the same check.
    func isComplete() async throws(CommandFailure) -> Bool {
        for address in [collector, audit] {
            let (_, ledger) = try await CollectorClient(address).settledLedger()
            guard ledger.isComplete else {
                console.write(LedgerText(style: console.style).lines(ledger))
                return false
            }
        }
        return true
    }

    /// Returns a usage summary from the main collector.
    func usage() async throws(CommandFailure) -> UsageSummary {
        let client = CollectorClient(collector)
        var summary = UsageSummary(try await client.get("/v1/screens", query: [("limit", "200")]))
        var after: String?
        repeat {
            let query = [(name: "limit", value: "200")] + (after.map { [(name: "after", value: $0)] } ?? [])
            let page = try await client.get("/v1/sessions", query: query)
            summary.add(sessions: page)
            after = page["next"]?.string
        } while after != nil
        return summary
    }

    /// Returns a device summary from the main collector.
    func devices() async throws(CommandFailure) -> DeviceSummary {
        DeviceSummary(try await CollectorClient(collector).get("/v1/devices", query: [("limit", "200")]))
    }

    private func account(
        _ destination: DestinationID,
        at address: CollectorAddress,
        _ device: DeviceLedger,
        erasures: UInt64
    ) async throws(CommandFailure) -> DemoAccount {
        let client = CollectorClient(address)
        // Acknowledged events are in the intake log; the index may lag slightly.
        let (_, ledger) = try await client.settledLedger()
        let rows = try await rows(client)
        return DemoAccount(
            destination: destination,
            recorded: device.recorded(for: destination),
            delivered: device.delivered[destination] ?? 0,
            pending: device.pending(for: destination),
            dropped: device.dropped[destination] ?? 0,
            rows: rows.count,
            distinct: rows.distinct,
            repeats: ledger.total(\.duplicates),
            erasures: erasures
        )
    }

    /// Counts a collector's rows and their distinct ids.
    ///
    /// The count is based on the stored rows instead of the ledger.
    private func rows(_ client: CollectorClient) async throws(CommandFailure) -> (count: UInt64, distinct: UInt64) {
        var ids: Set<String> = []
        var count: UInt64 = 0
        var after: String?
        while true {
            var query = [(name: "order", value: "asc"), (name: "limit", value: "1000")]
            if let after { query.append(("after", after)) }
            let page = try await client.get("/v1/events", query: query)
            let events = page["events"]?.array ?? []
            count += UInt64(events.count)
            for event in events { ids.insert(event["id"]?.string ?? event["event"]?["id"]?.string ?? "") }
            guard let next = page["next"]?.string, !events.isEmpty else { return (count, UInt64(ids.count)) }
            after = next
        }
    }
}
