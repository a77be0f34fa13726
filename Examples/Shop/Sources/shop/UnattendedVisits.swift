// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ShopFloor

/// Lets visitors come by themselves, one after the other, and says on standard output what they do.
struct UnattendedVisits: Sendable {
    let options: Options
    let visitors: Int
    let bookkeeper: Bookkeeper

    /// Runs until the last one has left.
    func run() async {
        for number in 1...visitors {
            await visit(number)
        }
    }

    private func visit(_ number: Int) async {
        var shop = Shop(customer: "customer-\(options.seed)-\(number)")
        var visitor = Visitor(seed: options.seed, number: UInt64(number))
        say(number, "enters")
        await note(shop.enter(), of: number, in: &shop)
        while !shop.isOver {
            let move = visitor.move(in: shop)
            await pass(move.pause)
            await note(shop.press(move.key), of: number, in: &shop)
        }
        bookkeeper.signOut()
        say(number, "leaves")
    }

    private func note(_ happenings: [Happening], of number: Int, in shop: inout Shop) async {
        for happening in happenings {
            if case .beganCheckout = happening { bookkeeper.identify(shop.customer) }
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

    private func pass(_ thought: Duration) async {
        guard let pace = options.pace else { return }
        // Nobody cancels a visit.
        try? await Task.sleep(for: thought / pace)
    }

    private func say(_ number: Int, _ deed: String) {
        let line = "visitor \(number) \(deed)"
        if options.wantsJSON { Output.problem(line) } else { Output.line(line) }
    }
}
