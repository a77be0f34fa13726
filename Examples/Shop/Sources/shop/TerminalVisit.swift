// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ShopFloor

/// A visit by a person at the terminal.
struct TerminalVisit {
    let customer: String?
    let bookkeeper: Bookkeeper

    /// Runs until the person leaves.
    ///
    /// - Throws: `UsageError` without a terminal.
    func run() async throws {
        let terminal = try Terminal()
        if let customer { bookkeeper.identify(customer) }
        var shop = Shop(customer: customer ?? "guest")
        terminal.enter()
        defer { terminal.leave() }
        await note(shop.enter(), in: &shop, on: terminal)
        while !shop.isOver {
            draw(shop, on: terminal)
            switch terminal.next() {
            case .key(let key):
                await note(shop.press(key), in: &shop, on: terminal)
            case .changed:
                continue
            case .gone:
                await note(shop.press(.character("q")), in: &shop, on: terminal)
                return
            }
        }
    }

    private func note(_ happenings: [Happening], in shop: inout Shop, on terminal: Terminal) async {
        for happening in happenings {
            await bookkeeper.note(happening)
            if case .ordered = happening {
                draw(shop, on: terminal)
                await Till.takePayment(after: .milliseconds(700))
                await note(shop.paymentFinished(isPaid: true), in: &shop, on: terminal)
            }
        }
    }

    private func draw(_ shop: Shop, on terminal: Terminal) {
        let size = terminal.size()
        terminal.draw(shop.picture(columns: size.columns, rows: size.rows))
    }
}
