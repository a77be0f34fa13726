// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing

@testable import TrackwayPlatform

@Suite("Parser of os-release files")
struct OSReleaseTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var text: String
        var id: String?
        var title: String?
        var version: String?
        var testDescription: String { name }
    }

    static let cases = [
        Case(
            name: "Debian",
            text: """
                PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"
                NAME="Debian GNU/Linux"
                VERSION_ID="12"
                VERSION="12 (bookworm)"
                VERSION_CODENAME=bookworm
                ID=debian
                HOME_URL="https://www.debian.org/"
                """,
            id: "debian",
            title: "Debian GNU/Linux",
            version: "12"
        ),
        Case(
            name: "Fedora, unquoted",
            text: "NAME=\"Fedora Linux\"\nID=fedora\nVERSION_ID=41\nANSI_COLOR=\"0;38;2;60;110;180\"\n",
            id: "fedora",
            title: "Fedora Linux",
            version: "41"
        ),
        Case(
            name: "Arch, rolling, without a version",
            text: "NAME=\"Arch Linux\"\nID=arch\nBUILD_ID=rolling\n",
            id: "arch",
            title: "Arch Linux",
            version: nil
        ),
        Case(
            name: "Alpine with single quotes",
            text: "NAME='Alpine Linux'\nID='alpine'\nVERSION_ID='3.20.3'\n",
            id: "alpine",
            title: "Alpine Linux",
            version: "3.20.3"
        ),
        Case(
            name: "comments, blank lines and carriage returns",
            text: "# ID=wrong\r\n\r\nID=ubuntu  \r\nVERSION_ID=\"24.04\"\r\n",
            id: "ubuntu",
            title: nil,
            version: "24.04"
        ),
        Case(
            name: "escapes inside double quotes",
            text: "NAME=\"A \\\"quoted\\\" \\$name \\\\\"\n",
            id: nil,
            title: "A \"quoted\" $name \\",
            version: nil
        ),
        Case(name: "the later of two assignments", text: "ID=one\nID=two\n", id: "two", title: nil, version: nil),
        Case(name: "empty values are ignored", text: "ID=\nNAME=\"\"\n", id: nil, title: nil, version: nil),
        Case(name: "garbage", text: "=\n=x\nno assignment\nid=lower\n\"", id: nil, title: nil, version: nil),
        Case(name: "a lone quote", text: "ID=\"\n", id: "\"", title: nil, version: nil),
    ]

    @Test(arguments: cases)
    func `files of various distributions are parsed`(_ sample: Case) {
        let release = OSRelease(sample.text)
        #expect(release.id == sample.id)
        #expect(release.name == sample.title)
        #expect(release.version == sample.version)
    }
}
