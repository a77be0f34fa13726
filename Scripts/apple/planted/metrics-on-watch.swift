// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// watchos tvos: no such module 'MetricKit'

import MetricKit
