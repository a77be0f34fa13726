// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ShopFloor

/// Simulates visits one after another and prints the visitors' actions.
struct UnattendedVisits: Sendable {
    let options: Options
    let visitors: Int
    let bookkeeper: Bookkeeper

    /// Runs until the last visitor has left.
    func run() async {
        for number in 1...visitors {
            if options.agreesAfter.map({ number > $0 }) ?? false { bookkeeper.agree() }
            await visit(number)
        }
    }

    /// Returns the session timeout, which is scaled like the pauses: a longer absence starts a new session.
    ///
    /// At maximum speed no time passes, so every visit starts a new session.
    static func sessionTimeout(pace: Double?) -> Duration {
        pace.map { .seconds(60) / $0 } ?? .zero
    }

    private func visit(_ number: Int) async {
        // The previous visitor left long ago.
        await pass(Visitor.longAbsence)
        bookkeeper.comeBack()
        var shop = Shop(customer: Customer(seed: options.seed, number: UInt64(number)).id)
        var visitor = Visitor(seed: options.seed, number: UInt64(number))
        say(number, "enters")
        await note(shop.enter(), of: number, in: &shop)
        while !shop.isOver {
            let move = visitor.move(in: shop)
            if move.absence > .zero {
                bookkeeper.turnAway()
                await pass(move.absence)
                bookkeeper.comeBack()
            }
            if move.lingers { await linger() }
            await pass(move.pause)
            await note(shop.press(move.key), of: number, in: &shop)
        }
        bookkeeper.turnAway()
        bookkeeper.signOut()
        if let till = options.till { bookkeeper.noteTill(after: number, for: till) }
        if options.wavers, number.isMultiple(of: 2) { await bookkeeper.waver() }
        say(number, "leaves")
    }

    private func note(_ happenings: [Happening], of number: Int, in shop: inout Shop) async {
        for happening in happenings {
            if case .beganCheckout = happening {
                bookkeeper.identify(Customer(seed: options.seed, number: UInt64(number)))
            }
            await bookkeeper.note(happening)
            switch happening {
            case .beganCheckout:
                say(number, "checkout")
            case .ordered:
                await Till.takePayment()
                await note(shop.paymentFinished(isPaid: true), of: number, in: &shop)
            case .purchased:
                say(number, "purchased")
            case .saw, .searched, .added, .removed, .choseDelivery, .chosePayment, .left:
                break
            }
        }
    }

    /// Waits in real time at any pace: engagement is recorded only from one second on.
    private func linger() async {
        guard options.pace != nil else { return }
        // This task is never canceled.
        try? await Task.sleep(for: .milliseconds(1_100))
    }

    private func pass(_ thought: Duration) async {
        guard let pace = options.pace else { return }
        // This task is never canceled.
        try? await Task.sleep(for: thought / pace)
    }

    private func say(_ number: Int, _ deed: String) {
        let line = "visitor \(number) \(deed)"
        if options.wantsJSON { Output.problem(line) } else { Output.line(line) }
    }
}
