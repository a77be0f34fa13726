// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayDestinations

@Suite("Sensors Analytics form encoding")
struct SensorsAnalyticsFormTests {
    @Test(arguments: [
        (":", "%3A"), ("#", "%23"), ("[", "%5B"), ("]", "%5D"), ("@", "%40"), ("!", "%21"), ("$", "%24"),
        ("&", "%26"), ("'", "%27"), ("(", "%28"), (")", "%29"), ("*", "%2A"), ("+", "%2B"), (",", "%2C"),
        (";", "%3B"), ("=", "%3D"), (" ", "%20"), ("%", "%25"), ("\"", "%22"), ("家", "%E5%AE%B6"),
        ("/", "/"), ("?", "?"), ("-", "-"), (".", "."), ("_", "_"), ("~", "~"), ("aZ09", "aZ09"), ("", ""),
    ])
    func `only characters with a meaning in forms are escaped`(_ text: String, _ expected: String) {
        #expect(SensorsAnalyticsForm.escaped(text) == expected)
    }

    @Test
    func `a long text is escaped completely, across any chunk boundary`() {
        let text = String(repeating: "H4sI+/=", count: 1_000)
        #expect(SensorsAnalyticsForm.escaped(text).removingPercentEncoding == text)
    }

    @Test
    func `the checksum is computed from the text before escaping`() {
        let body = String(decoding: SensorsAnalyticsForm.body(dataList: "H4sIAAAAAAAA"), as: UTF8.self)
        #expect(body == "crc=-1372898654&gzip=1&data_list=H4sIAAAAAAAA")
        let escaped = String(decoding: SensorsAnalyticsForm.body(dataList: "a+/="), as: UTF8.self)
        #expect(escaped == "crc=\(SensorsAnalyticsChecksum.of("a+/="))&gzip=1&data_list=a%2B/%3D")
    }

    @Test(arguments: [
        (
            "https://sa.example.com/sa?project=production", "https://sa.example.com/sa?project=production",
            "https://sa.example.com/debug?project=production", "https://sa.example.com/config/iOS.conf"
        ),
        (
            "http://127.0.0.1:8106/a/b/sa?project=p&token=t#part", "http://127.0.0.1:8106/a/b/sa?project=p&token=t",
            "http://127.0.0.1:8106/a/b/debug?project=p&token=t", "http://127.0.0.1:8106/a/b/config/iOS.conf"
        ),
        ("https://host", "https://host/", "https://host/debug", "https://host/config/iOS.conf"),
    ])
    func `addresses keep their query, and their path ends in debug in debug mode`(
        _ text: String,
        _ upload: String,
        _ debug: String,
        _ configuration: String
    ) throws {
        let address = try #require(SensorsAnalyticsAddress(text))
        #expect(address.upload == upload)
        #expect(address.debug == debug)
        #expect(address.configuration == configuration)
        #expect(
            address.query("project") == (text.contains("production") ? "production" : text.contains("=p&") ? "p" : nil)
        )
    }

    @Test(arguments: ["", "sa", "ftp://host/sa", "https://", "https://user@host/sa", "https://h/ö"])
    func `an invalid address is rejected`(_ text: String) {
        #expect(SensorsAnalyticsAddress(text) == nil)
    }
}
