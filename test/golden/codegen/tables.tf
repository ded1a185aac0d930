# Tables of the entities, for the google provider. Written by rowsmith generate: change the entities, not this file.

variable "project" {
  type        = string
  description = "Project of the Bigtable instance."
  default     = "p"
}

variable "instance_name" {
  type        = string
  description = "Name of the Bigtable instance."
  default     = "i"
}

resource "google_bigtable_table" "events" {
  project             = var.project
  name                = "events"
  instance_name       = var.instance_name
  deletion_protection = "PROTECTED"
  split_keys = [
    "01#",
    "02#",
    "03#",
    "04#",
    "05#",
    "06#",
    "07#",
    "08#",
    "09#",
    "10#",
    "11#",
    "12#",
    "13#",
    "14#",
    "15#",
  ]

  row_key_schema = jsonencode({
    structType = {
      fields = [
        { fieldName = "shard", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "_ds", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "source", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "key_e", type = { stringType = { encoding = { utf8Bytes = {} } } } },
      ]
      encoding = { delimitedBytes = { delimiter = "Iw==" } }
    }
  })

  column_family {
    family = "e"
  }

  lifecycle {
    prevent_destroy = true
    ignore_changes  = [split_keys]
  }
}

resource "google_bigtable_gc_policy" "events_e" {
  project         = var.project
  instance_name   = var.instance_name
  table           = google_bigtable_table.events.name
  column_family   = "e"
  deletion_policy = "ABANDON"

  gc_rules = jsonencode({ rules = [{ max_version = 1 }] })
}

resource "google_bigtable_table" "kinds" {
  project             = var.project
  name                = "kinds"
  instance_name       = var.instance_name
  deletion_protection = "PROTECTED"

  row_key_schema = jsonencode({
    structType = {
      fields = [
        { fieldName = "string", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "nullable", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "int", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "intDesc", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "uint", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "uintDesc", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "wide", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "big", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "bigFixed", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "float", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "floatDesc", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "decimal", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "boolDesc", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "name", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "ordinal", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "seconds", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "nanosDesc", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "longDesc", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "hour", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "dayDesc", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "interval", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "micros", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "microsLong", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "iso", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "isoDay", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "uuid", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "ulid", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "bytes", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "reversed", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "domain", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "lastDesc", type = { stringType = { encoding = { utf8Bytes = {} } } } },
      ]
      encoding = { delimitedBytes = { delimiter = "Iw==" } }
    }
  })

  column_family {
    family = "f"
  }

  lifecycle {
    prevent_destroy = true
    ignore_changes  = [split_keys]
  }
}

resource "google_bigtable_table" "kinds-ordered" {
  project             = var.project
  name                = "kinds-ordered"
  instance_name       = var.instance_name
  deletion_protection = "PROTECTED"
  split_keys          = ["1", "2", "3"]

  row_key_schema = jsonencode({
    structType = {
      fields = [
        { fieldName = "shard", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "_ds", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "string", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "stringDesc", type = { bytesType = { encoding = { raw = {} } } } },
        { fieldName = "nullable", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "int", type = { int64Type = { encoding = { orderedCodeBytes = {} } } } },
        { fieldName = "intDesc", type = { int64Type = { encoding = { orderedCodeBytes = {} } } } },
        { fieldName = "intNullable", type = { bytesType = { encoding = { raw = {} } } } },
        { fieldName = "big", type = { bytesType = { encoding = { raw = {} } } } },
        { fieldName = "wide", type = { int64Type = { encoding = { orderedCodeBytes = {} } } } },
        { fieldName = "float", type = { int64Type = { encoding = { orderedCodeBytes = {} } } } },
        { fieldName = "decimal", type = { int64Type = { encoding = { orderedCodeBytes = {} } } } },
        { fieldName = "bool", type = { int64Type = { encoding = { orderedCodeBytes = {} } } } },
        { fieldName = "name", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "ordinal", type = { int64Type = { encoding = { orderedCodeBytes = {} } } } },
        {
          fieldName = "key_at"
          type      = { timestampType = { encoding = { unixMicrosInt64 = { orderedCodeBytes = {} } } } }
        },
        { fieldName = "atDesc", type = { int64Type = { encoding = { orderedCodeBytes = {} } } } },
        {
          fieldName = "hour"
          type      = { timestampType = { encoding = { unixMicrosInt64 = { orderedCodeBytes = {} } } } }
        },
        {
          fieldName = "micros"
          type      = { timestampType = { encoding = { unixMicrosInt64 = { orderedCodeBytes = {} } } } }
        },
        { fieldName = "iso", type = { int64Type = { encoding = { orderedCodeBytes = {} } } } },
        {
          fieldName = "isoDay"
          type      = { timestampType = { encoding = { unixMicrosInt64 = { orderedCodeBytes = {} } } } }
        },
        { fieldName = "uuid", type = { bytesType = { encoding = { raw = {} } } } },
        { fieldName = "ulid", type = { bytesType = { encoding = { raw = {} } } } },
        { fieldName = "bytes", type = { bytesType = { encoding = { raw = {} } } } },
        { fieldName = "bytesDesc", type = { bytesType = { encoding = { raw = {} } } } },
        { fieldName = "reversed", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "domain", type = { stringType = { encoding = { utf8Bytes = {} } } } },
      ]
      encoding = { orderedCodeBytes = {} }
    }
  })

  column_family {
    family = "at"
  }

  column_family {
    family = "f"
  }

  lifecycle {
    prevent_destroy = true
    ignore_changes  = [split_keys]
  }
}

resource "google_bigtable_table" "shop" {
  project             = var.project
  name                = "shop"
  instance_name       = var.instance_name
  deletion_protection = "PROTECTED"

  column_family {
    family = "d"
  }

  column_family {
    family = "e"
  }

  column_family {
    family = "f"
  }

  column_family {
    family = "peak"
    type   = "intmax"
  }

  lifecycle {
    prevent_destroy = true
    ignore_changes  = [split_keys]
  }
}

resource "google_bigtable_gc_policy" "shop_d" {
  project         = var.project
  instance_name   = var.instance_name
  table           = google_bigtable_table.shop.name
  column_family   = "d"
  deletion_policy = "ABANDON"

  gc_rules = jsonencode({
    mode = "union"
    rules = [
      { max_version = 1 },
      { mode = "intersection", rules = [{ max_age = "10h" }, { max_version = 3 }] },
      { max_age = "2160h" },
    ]
  })
}

resource "google_bigtable_gc_policy" "shop_e" {
  project         = var.project
  instance_name   = var.instance_name
  table           = google_bigtable_table.shop.name
  column_family   = "e"
  deletion_policy = "ABANDON"

  gc_rules = jsonencode({ mode = "intersection", rules = [{ max_version = 2 }, { max_age = "1500ms" }] })
}

resource "google_bigtable_table" "telemetry" {
  project             = var.project
  name                = "telemetry"
  instance_name       = var.instance_name
  deletion_protection = "PROTECTED"

  row_key_schema = jsonencode({
    structType = {
      fields = [
        { fieldName = "tenant", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "device", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "at", type = { stringType = { encoding = { utf8Bytes = {} } } } },
      ]
      encoding = { delimitedBytes = { delimiter = "Iw==" } }
    }
  })

  column_family {
    family = "hits"
    type   = "intsum"
  }

  column_family {
    family = "m"
  }

  column_family {
    family = "s"
  }

  column_family {
    family = "tags"
  }

  lifecycle {
    prevent_destroy = true
    ignore_changes  = [split_keys]
  }
}

resource "google_bigtable_gc_policy" "telemetry_hits" {
  project         = var.project
  instance_name   = var.instance_name
  table           = google_bigtable_table.telemetry.name
  column_family   = "hits"
  deletion_policy = "ABANDON"

  gc_rules = jsonencode({ rules = [{ max_version = 1 }] })
}

resource "google_bigtable_gc_policy" "telemetry_m" {
  project         = var.project
  instance_name   = var.instance_name
  table           = google_bigtable_table.telemetry.name
  column_family   = "m"
  deletion_policy = "ABANDON"

  gc_rules = jsonencode({ rules = [{ max_version = 1 }] })
}

resource "google_bigtable_gc_policy" "telemetry_s" {
  project         = var.project
  instance_name   = var.instance_name
  table           = google_bigtable_table.telemetry.name
  column_family   = "s"
  deletion_policy = "ABANDON"

  gc_rules = jsonencode({ mode = "union", rules = [{ max_age = "720h" }, { max_version = 10 }] })
}

resource "google_bigtable_gc_policy" "telemetry_tags" {
  project         = var.project
  instance_name   = var.instance_name
  table           = google_bigtable_table.telemetry.name
  column_family   = "tags"
  deletion_policy = "ABANDON"

  gc_rules = jsonencode({ rules = [{ max_age = "36h" }] })
}

resource "google_bigtable_table" "totals" {
  project             = var.project
  name                = "totals"
  instance_name       = var.instance_name
  deletion_protection = "PROTECTED"

  row_key_schema = jsonencode({
    structType = {
      fields = [
        { fieldName = "country", type = { stringType = { encoding = { utf8Bytes = {} } } } },
        { fieldName = "day", type = { stringType = { encoding = { utf8Bytes = {} } } } },
      ]
      encoding = { delimitedBytes = { delimiter = "fA==" } }
    }
  })

  column_family {
    family = "total"
    type   = "intsum"
  }

  lifecycle {
    prevent_destroy = true
    ignore_changes  = [split_keys]
  }
}
