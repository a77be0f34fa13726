// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// ios simulator macos: 'pid' is only available in

import MetricKit

func number(_ data: MXMetaData) -> Int32 {
    data.pid
}
