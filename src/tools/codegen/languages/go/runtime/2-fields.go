const dayMs = 86_400_000

const maxDateMs = 8_640_000_000_000_000

const maxSafe = 1<<53 - 1

const maxKey = 4096

const firstYearMs = -62_167_219_200_000

const lastYearMs = 253_402_300_799_999

func millis(value any) int64 {
	t := value.(time.Time)
	if s := t.Unix(); s < -maxDateMs/1000-1 || s > maxDateMs/1000 {
		refuse("notADate")
	}
	ms := t.UnixMilli()
	if ms < -maxDateMs || ms > maxDateMs {
		refuse("notADate")
	}
	if t.Nanosecond()%1_000_000 != 0 {
		refuse("notWholeMillis")
	}
	return ms
}

func dateAt(ms int64) (any, bool) {
	return time.UnixMilli(ms).UTC(), ms >= -maxDateMs && ms <= maxDateMs
}

func yearMillis(value any, fix string) int64 {
	ms := millis(value)
	if ms < firstYearMs || ms > lastYearMs {
		refuse("yearOutOfRange", "fix", words[fix][1])
	}
	return ms
}

func floorTo(n, size int64) int64 {
	rest := n % size
	if rest < 0 {
		rest += size
	}
	return n - rest
}

// Integers are decimal text until they are bytes: segments have up to 99 digits.
func compareInts(a, b string) int {
	if a[0] == '-' && b[0] == '-' {
		return compareInts(b[1:], a[1:])
	}
	if a[0] == '-' || b[0] == '-' || len(a) == len(b) {
		return strings.Compare(a, b)
	}
	return len(a) - len(b)
}

func nines(digits string) string {
	raw := []byte(digits)
	for i := range raw {
		raw[i] = '0' + '9' - raw[i]
	}
	return string(raw)
}

func padded(digits string, width int) string {
	return strings.Repeat("0", max(0, width-len(digits))) + digits
}

// Digits of n + by, for -1 and 1; n is at least 1 for -1.
func stepped(digits string, by int8) string {
	raw := []byte("0" + digits)
	for i := len(raw) - 1; i >= 0; i-- {
		raw[i] = byte(int8(raw[i]) + by)
		if raw[i] < '0' {
			raw[i] = '9'
		} else if raw[i] > '9' {
			raw[i] = '0'
		} else {
			break
		}
	}
	return unpadded(string(raw))
}

func unpadded(digits string) string {
	if trimmed := strings.TrimLeft(digits, "0"); trimmed != "" {
		return trimmed
	}
	return "0"
}

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// Integers as bytes that sort like them; read gives false for bytes that are never written.
type layout struct {
	low, high string
	desc      bool
	write     func(n string) string
	read      func(raw string) (string, bool)
}

// Zero-padded decimal digits; `zeros` of them follow the integer.
func digits(width, zeros int, desc, signed bool) layout {
	l := layout{low: "0", high: strings.Repeat("9", width-zeros), desc: desc}
	//if key.int key.bigint key.decimal floor
	sign := "-"
	if desc {
		sign = ":"
	}
	if signed {
		l.low = "-" + l.high
	}
	//end
	after := strings.Repeat("0", zeros)
	flip := func(text string, flipped bool) string {
		if flipped {
			return nines(text)
		}
		return text
	}
	l.write = func(n string) string {
		//if key.int key.bigint key.decimal floor
		if n[0] == '-' {
			return sign + flip(padded(stepped(n[1:], -1), width), !desc)
		}
		//end
		return flip(padded(n+after, width), desc)
	}
	l.read = func(raw string) (string, bool) {
		//if key.int key.bigint key.decimal floor
		if body, negative := strings.CutPrefix(raw, sign); signed && negative {
			return "-" + stepped(flip(body, !desc), 1), len(body) == width && isDigits(body)
		}
		//end
		if len(raw) != width || !isDigits(raw) {
			return "", false
		}
		n, ok := strings.CutSuffix(flip(raw, desc), after)
		return unpadded(n), ok
	}
	return l
}

// 19 digits of the greatest int64 minus n.
func longReversed(unit int64) layout {
	return layout{"0", strconv.FormatInt(math.MaxInt64/unit, 10), true,
		func(n string) string {
			return fmt.Sprintf("%019d", math.MaxInt64-int64Of(n)*unit)
		},
		func(raw string) (string, bool) {
			n, err := strconv.ParseInt(raw, 10, 64)
			if len(raw) != 19 || !isDigits(raw) || err != nil || (math.MaxInt64-n)%unit != 0 {
				return "", false
			}
			return strconv.FormatInt((math.MaxInt64-n)/unit, 10), true
		}}
}

func int64Of(n string) int64 {
	value, _ := strconv.ParseInt(n, 10, 64)
	return value
}

// Digits in reverse, so that sequential ids spread over the table.
func backward(width int) layout {
	l := digits(width, 0, false, false)
	reversed := func(text string) string {
		raw := []byte(text)
		slices.Reverse(raw)
		return string(raw)
	}
	forward := l
	l.write = func(n string) string { return reversed(forward.write(n)) }
	l.read = func(raw string) (string, bool) { return forward.read(reversed(raw)) }
	return l
}

// The int64 of google/orderedcode.
func orderedInts(desc bool) layout {
	flip := func(n int64) int64 {
		if desc {
			return -1 - n
		}
		return n
	}
	return layout{strconv.Itoa(math.MinInt64), strconv.Itoa(math.MaxInt64), desc,
		func(n string) string { return orderedInt(flip(int64Of(n))) },
		func(raw string) (string, bool) {
			n, ok := readOrderedInt(raw)
			return strconv.FormatInt(flip(n), 10), ok
		}}
}

func orderedInt(n int64) string {
	var mask byte
	magnitude := uint64(n)
	if n < 0 {
		mask, magnitude = 0xff, ^magnitude
	}
	length := 1
	for length < 10 && magnitude>>(7*length-1) != 0 {
		length++
	}
	var raw [10]byte
	binary.BigEndian.PutUint64(raw[2:], magnitude)
	header := uint16(1<<length-1) << (16 - length)
	code := raw[10-length:]
	code[0] |= byte(header >> 8)
	if length > 1 {
		code[1] |= byte(header)
	}
	for i := range code {
		code[i] ^= mask
	}
	return string(code)
}

func readOrderedInt(raw string) (int64, bool) {
	if len(raw) < 1 || len(raw) > 10 {
		return 0, false
	}
	var n uint64
	for i := max(0, len(raw)-8); i < len(raw); i++ {
		n = n<<8 | uint64(raw[i])
	}
	if raw[0] < 0x80 {
		n = ^n
	}
	if bits := 7*len(raw) - 1; bits < 63 {
		n &= 1<<bits - 1
	}
	n &= math.MaxInt64
	if raw[0] < 0x80 {
		n = ^n
	}
	return int64(n), orderedInt(int64(n)) == raw
}

// The values of a segment as raw bytes, before they are escaped.
type field struct {
	write        func(value any) string
	read         func(raw string) (any, bool)
	bound        func(to bool, value any, inclusive bool) (any, bool)
	inner        func(value any) string
	numeric      bool
	desc, lowers bool
}

func integer(l layout, to func(any) string, from func(string) (any, bool), fix, low, high string) field {
	if low == "" || compareInts(low, l.low) < 0 {
		low = l.low
	}
	if high == "" || compareInts(high, l.high) > 0 {
		high = l.high
	}
	fits := func(n string) bool { return compareInts(n, low) >= 0 && compareInts(n, high) <= 0 }
	return field{numeric: true, desc: l.desc,
		write: func(value any) string {
			n := to(value)
			if !fits(n) {
				refuse("outOfRange", "integer", n, "min", low, "max", high, "fix", words[fix][1])
			}
			return l.write(n)
		},
		read: func(raw string) (any, bool) {
			n, ok := l.read(raw)
			if !ok || !fits(n) {
				return nil, false
			}
			return from(n)
		}}
}

func fromSafe(value any) string {
	n := fmt.Sprint(value)
	if compareInts(strings.TrimPrefix(n, "-"), "9007199254740991") > 0 {
		refuse("notASafeInteger")
	}
	return n
}

func readInt(n string) (any, bool) { return int64Of(n), true }

func readUint(n string) (any, bool) { return uint64(int64Of(n)), true }

func readSafe(read func(string) (any, bool)) func(string) (any, bool) {
	return func(n string) (any, bool) {
		if compareInts(strings.TrimPrefix(n, "-"), "9007199254740991") > 0 {
			return nil, false
		}
		return read(n)
	}
}

func readBig(n string) (any, bool) { return new(big.Int).SetString(n, 10) }

// Decimal text with `scale` digits after the point, as value * 10^scale.
func decimals(scale int) (func(any) string, func(string) (any, bool)) {
	example := strings.TrimSuffix("12."+strings.Repeat("3", scale), ".")
	to := func(value any) string {
		text := value.(string)
		body, negative := strings.CutPrefix(text, "-")
		whole, fraction, point := strings.Cut(body, ".")
		if !isDigits(whole) || point && !isDigits(fraction) || len(fraction) > scale {
			refuse("notADecimal", "scale", scale, "example", example)
		}
		if len(whole) > 1000 {
			refuse("tooManyDecimalDigits")
		}
		n := unpadded(whole + fraction + strings.Repeat("0", scale-len(fraction)))
		if negative && n != "0" {
			return "-" + n
		}
		return n
	}
	return to, func(n string) (any, bool) { return decimalText(n, scale), true }
}

func decimalText(n string, scale int) string {
	if scale == 0 {
		return n
	}
	sign := ""
	if n[0] == '-' {
		sign, n = "-", n[1:]
	}
	n = padded(n, scale+1)
	return sign + n[:len(n)-scale] + "." + n[len(n)-scale:]
}

// NFC, which files of entities set that normalize.
var nfc = func(text string) string { return text }

func canonical(s segment, text string) string {
	//if lower
	if s.lower {
		text = lowerCase(text)
	}
	//end
	//if normalize
	if s.normalize {
		text = nfc(text)
	}
	//end
	return text
}

// As JavaScript has it: with the final sigma, and the dot of a capital I.
func lowerCase(text string) string {
	if !strings.ContainsAny(text, "Σİ") {
		return strings.ToLower(text)
	}
	runes := []rune(text)
	var lower strings.Builder
	for i, r := range runes {
		switch {
		case r == 'İ':
			lower.WriteString("i\u0307")
		case r == 'Σ' && casedNext(runes, i, -1) && !casedNext(runes, i, 1):
			lower.WriteRune('ς')
		default:
			lower.WriteRune(unicode.ToLower(r))
		}
	}
	return lower.String()
}

func casedNext(runes []rune, i, step int) bool {
	for i += step; i >= 0 && i < len(runes); i += step {
		r := runes[i]
		ignorable := unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk)
		if !ignorable && !strings.ContainsRune("'.:·՟״‘’‧︓﹕＇．：", r) {
			return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Lowercase, unicode.Other_Uppercase)
		}
	}
	return false
}

func textField(s segment) field {
	return field{lowers: s.lower,
		write: func(value any) string {
			text := value.(string)
			//if key.enum
			if s.members != nil && !slices.Contains(s.members, text) {
				refuse("notAMember", "members", strings.Join(s.members, ", "))
			}
			//end
			if !utf8.ValidString(text) {
				refuse("notUtf8")
			}
			if utf16Length(text) > maxKey {
				refuse("textLongerThanKey")
			}
			text = canonical(s, text) //if lower normalize
			//if maxLength
			if s.maxLength > 0 && utf16Length(text) > s.maxLength {
				refuse("textTooLong", "max", s.maxLength)
			}
			//end
			return text
		},
		read: func(raw string) (any, bool) {
			ok := utf8.ValidString(raw)
			ok = ok && (s.maxLength == 0 || utf16Length(raw) <= s.maxLength) //if maxLength
			ok = ok && (s.members == nil || slices.Contains(s.members, raw)) //if key.enum
			ok = ok && canonical(s, raw) == raw //if lower normalize
			return raw, ok
		}}
}

// IEEE 754 doubles without NaN: 16 hexadecimal digits, or ordered code.
func floatField(ordered, desc bool) field {
	var all uint64
	if desc {
		all = math.MaxUint64
	}
	return field{numeric: true, desc: desc,
		write: func(value any) string {
			number := value.(float64) + 0
			if number != number {
				refuse("notANumber")
			}
			bits := math.Float64bits(number)
			if number == 0 {
				bits = 0
			}
			if bits>>63 == 0 {
				bits ^= 1 << 63
			} else {
				bits = ^bits
			}
			if ordered {
				n := int64(bits ^ 1<<63)
				// Ordered code maps -x to -bits(x), not to its complement.
				if n < 0 {
					n++
				}
				return orderedInt(n ^ int64(all))
			}
			return fmt.Sprintf("%016x", bits^all)
		},
		read: func(raw string) (any, bool) {
			var bits uint64
			if ordered {
				n, ok := readOrderedInt(raw)
				n ^= int64(all)
				if !ok || n == math.MinInt64 {
					return nil, false
				}
				if n < 0 {
					n--
				}
				bits = uint64(n) ^ 1<<63
			} else {
				code, err := hex.DecodeString(raw)
				if err != nil || len(code) != 8 || strings.ToLower(raw) != raw {
					return nil, false
				}
				bits = binary.BigEndian.Uint64(code) ^ all
			}
			if bits>>63 == 1 {
				bits ^= 1 << 63
			} else if bits = ^bits; bits == 1<<63 {
				return nil, false
			}
			number := math.Float64frombits(bits)
			return number, number == number
		}}
}

const isoTime = "2006-01-02T15:04:05.000Z"

func isoField(day bool) field {
	form := isoTime
	if day {
		form = "2006-01-02"
	}
	f := field{
		write: func(value any) string {
			return time.UnixMilli(yearMillis(value, "isoYear")).UTC().Format(form)
		},
		read: func(raw string) (any, bool) {
			t, err := time.Parse(form, raw)
			return t, err == nil && t.Format(form) == raw
		}}
	if day {
		f.bound = bucketBound(dayMs)
	}
	return f
}

// A bound of values of which one is stored for many.
func bucketBound(size int64) func(bool, any, bool) (any, bool) {
	return func(to bool, value any, inclusive bool) (any, bool) {
		t, ok := value.(time.Time)
		if !ok {
			return value, inclusive
		}
		ms := millis(t)
		start := floorTo(ms, size)
		matches := ms+1 < start+size
		if to {
			matches = start != ms
		}
		return time.UnixMilli(start), inclusive || matches
	}
}

var uuidForm = regexp.MustCompile("^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-|[0-9a-fA-F]{12})[0-9a-fA-F]{12}$")

func dashed(digits string) string {
	return digits[:8] + "-" + digits[8:12] + "-" + digits[12:16] + "-" + digits[16:20] + "-" + digits[20:]
}

func uuidField(ordered, dashes bool) field {
	write := func(value any) string {
		text := value.(string)
		if !uuidForm.MatchString(text) {
			refuse("notAUuid")
		}
		digits := strings.ReplaceAll(strings.ToLower(text), "-", "")
		if ordered {
			raw, _ := hex.DecodeString(digits)
			return string(raw)
		}
		if dashes {
			return dashed(digits)
		}
		return digits
	}
	return field{write: write, read: func(raw string) (any, bool) {
		text := raw
		if ordered {
			text = hex.EncodeToString([]byte(raw))
		}
		if !uuidForm.MatchString(text) || write(text) != raw {
			return nil, false
		}
		return dashed(strings.ReplaceAll(text, "-", "")), true
	}}
}

const base32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

func ulidField(ordered bool) field {
	valid := func(text string) bool {
		return len(text) == 26 && text[0] <= '7' && strings.Trim(text, base32) == ""
	}
	return field{
		write: func(value any) string {
			text := strings.ToUpper(value.(string))
			if !valid(text) || len(value.(string)) != 26 {
				refuse("notAUlid")
			}
			if !ordered {
				return text
			}
			n := new(big.Int)
			for i := range text {
				n.Lsh(n, 5).Or(n, big.NewInt(int64(strings.IndexByte(base32, text[i]))))
			}
			return string(n.FillBytes(make([]byte, 16)))
		},
		read: func(raw string) (any, bool) {
			if !ordered {
				return raw, valid(raw)
			}
			if len(raw) != 16 {
				return nil, false
			}
			n, text := new(big.Int).SetBytes([]byte(raw)), make([]byte, 26)
			for i := 25; i >= 0; i-- {
				text[i] = base32[new(big.Int).And(n, big.NewInt(31)).Int64()]
				n.Rsh(n, 5)
			}
			return string(text), true
		}}
}

func bytesField(ordered bool, maxLength int) field {
	limit := maxKey
	if maxLength > 0 {
		limit = min(limit, maxLength)
	}
	return field{
		write: func(value any) string {
			raw := value.([]byte)
			if len(raw) > limit {
				refuse("bytesTooLong", "max", limit)
			}
			if ordered {
				return string(raw)
			}
			return hex.EncodeToString(raw)
		},
		read: func(raw string) (any, bool) {
			value := []byte(raw)
			if !ordered {
				var err error
				if value, err = hex.DecodeString(raw); err != nil || strings.ToLower(raw) != raw {
					return nil, false
				}
			}
			return value, maxLength == 0 || len(value) <= maxLength
		}}
}

// Up to 99 digits: two digits of length, then the digits.
func bigField(desc bool) field {
	write := func(value any) string {
		n := value.(*big.Int)
		digits := new(big.Int).Abs(n).String()
		if len(digits) > 99 {
			refuse("tooManyDigits")
		}
		code := fmt.Sprintf("%02d%s", len(digits), digits)
		if n.Sign() != 0 && (n.Sign() < 0) != desc {
			return "-" + nines(code)
		}
		return code
	}
	return field{desc: desc, write: write, read: func(raw string) (any, bool) {
		code, negative := strings.CutPrefix(raw, "-")
		if len(code) < 3 || len(code) > 101 || !isDigits(code) {
			return nil, false
		}
		if negative {
			code = nines(code)
		}
		n, _ := new(big.Int).SetString(code[2:], 10)
		if negative != desc {
			n.Neg(n)
		}
		return n, write(n) == raw
	}}
}

var label = regexp.MustCompile("^[a-z0-9_-]{1,63}$")
var numberLabel = regexp.MustCompile("^([0-9]+|0x[0-9a-f]*)$")

func canonicalDomain(text string) (string, bool) {
	name := strings.ToLower(strings.TrimSuffix(text, "."))
	labels := strings.Split(name, ".")
	for _, each := range labels {
		if !label.MatchString(each) {
			return "", false
		}
	}
	return name, len(name) <= 253 && !numberLabel.MatchString(labels[len(labels)-1])
}

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r > 127 }) < 0
}

func reversedLabels(name string) string {
	labels := strings.Split(name, ".")
	slices.Reverse(labels)
	return strings.Join(labels, ".")
}

func domainField() field {
	return field{
		write: func(value any) string {
			if !isASCII(value.(string)) {
				refuse("domainOutsideAscii")
			}
			name, ok := canonicalDomain(value.(string))
			if !ok {
				refuse("notADomainName")
			}
			return reversedLabels(name)
		},
		read: func(raw string) (any, bool) {
			name := reversedLabels(raw)
			found, ok := canonicalDomain(name)
			return name, ok && found == name && isASCII(raw)
		}}
}

func inverted(raw string) string {
	flipped := []byte(raw)
	for i := range flipped {
		flipped[i] ^= 0xff
	}
	return string(flipped)
}

// The ordered format's NOT of (the raw bytes, 00 as 00 FF, then 00 01).
func descending(inner field) field {
	f := inner
	f.desc, f.numeric = true, false
	f.write = func(value any) string {
		return inverted(strings.ReplaceAll(inner.write(value), "\x00", "\x00\xff") + "\x00\x01")
	}
	f.read = func(raw string) (any, bool) {
		body, ok := strings.CutSuffix(inverted(raw), "\x00\x01")
		plain := strings.ReplaceAll(body, "\x00\xff", "\x00")
		if !ok || strings.ReplaceAll(plain, "\x00", "\x00\xff") != body {
			return nil, false
		}
		return inner.read(plain)
	}
	return f
}

// The ordered format's null: FF FF if descending, else no bytes.
func orderedNull(inner field) field {
	f := inner
	// Text and bytes need one more 00 where they are nothing but 00.
	escapes := !inner.numeric && !inner.desc
	null := ""
	if inner.desc {
		null = "\xff\xff"
	}
	f.inner = inner.write
	f.write = func(value any) string {
		if value == nil {
			return null
		}
		raw := inner.write(value)
		if escapes && strings.Trim(raw, "\x00") == "" {
			raw += "\x00"
		}
		return raw
	}
	f.read = func(raw string) (any, bool) {
		if raw == null {
			return nil, true
		}
		if escapes && strings.Trim(raw, "\x00") == "" {
			raw = raw[:len(raw)-1]
		}
		return inner.read(raw)
	}
	return f
}

// A segment, as the entity declares it.
type segment struct {
	property, kind, encoding, max, unit, floor   string
	width, scale, maxLength                      int
	desc, nullable, ordinal, long, day, noDashes bool
	normalize, lower                             bool
	members                                      []string
	rules                                        *rules
}

func fieldOf(s segment, inOrder bool) field {
	f := plainField(s, inOrder)
	//if ordered+descending
	if inOrder && s.desc && !f.desc {
		f = descending(f)
	}
	//end
	//if ordered+nullable
	if inOrder && s.nullable {
		f.numeric = f.numeric && s.kind != "reversedId"
		f = orderedNull(f)
	}
	//end
	return f
}

func layoutOf(s segment, inOrder bool, width int, signed bool) layout {
	//if ordered
	if inOrder {
		return orderedInts(s.desc)
	}
	//end
	return digits(width, 0, s.desc, signed)
}

func plainField(s segment, inOrder bool) field {
	//if key.int key.uint key.decimal key.bigint
	top := s.max
	if top == "" {
		top = strings.Repeat("9", s.width)
	}
	//end
	switch s.kind {
	//if literals
	case "literal":
		return constantField(s.encoding)
	//end
	//if key.string
	case "string":
		return textField(s)
	//end
	//if key.float
	case "float":
		return floatField(inOrder, s.desc)
	//end
	//if key.uuid
	case "uuid":
		return uuidField(inOrder, !s.noDashes)
	//end
	//if key.ulid
	case "ulid":
		return ulidField(inOrder)
	//end
	//if key.bytes
	case "bytes":
		return bytesField(inOrder, s.maxLength)
	//end
	//if key.domain
	case "domain":
		return domainField()
	//end
	//if key.timestamp
	case "timestamp":
		return timeField(s, inOrder)
	//end
	//if key.isoDate
	case "isoDate":
		if inOrder {
			return timeField(s, inOrder)
		}
		return isoField(s.day)
	//end
	//if key.int
	case "int":
		l := layoutOf(s, inOrder, s.width, true)
		return integer(l, fromSafe, readSafe(readInt), "numberRange", "-"+top, top)
	//end
	//if key.uint
	case "uint":
		l := layoutOf(s, inOrder, s.width, false)
		return integer(l, fromSafe, readSafe(readUint), "numberRange", "0", top)
	//end
	//if key.reversedId
	case "reversedId":
		return integer(backward(s.width), fromSafe, readSafe(readUint), "numberRange", "", "")
	//end
	//if key.bool
	case "bool":
		return boolField(layoutOf(s, inOrder, 1, false))
	//end
	//if key.decimal
	case "decimal":
		to, from := decimals(s.scale)
		return integer(layoutOf(s, inOrder, s.width, true), to, from, "decimalRange", "-"+top, top)
	//end
	//if key.enum
	case "enum":
		if !s.ordinal {
			return textField(s)
		}
		return ordinalField(layoutOf(s, inOrder, 2, false), s.members)
	//end
	//if key.micros
	case "micros":
		l := layoutOf(s, inOrder, 16, false)
		//if long
		if s.long {
			l = longReversed(1)
		}
		//end
		return integer(l, text, readInt, "bigintRange", "", "")
	//end
	//if key.bigint
	case "bigint":
		if s.width == 0 || inOrder && s.width > 19 {
			return bigField(s.desc)
		}
		read := readInt
		if s.width > 18 {
			read = readBig
		}
		return integer(layoutOf(s, inOrder, s.width, true), text, read, "bigintRange", "-"+top, top)
	//end
	}
	panic(s.kind)
}

// The text of a literal.
func constantField(text string) field {
	return field{
		write: func(any) string { return text },
		read:  func(raw string) (any, bool) { return nil, raw == text }}
}

func boolField(l layout) field {
	return integer(l, func(value any) string {
		if value.(bool) {
			return "1"
		}
		return "0"
	}, func(n string) (any, bool) { return n == "1", true }, "boolRange", "0", "1")
}

func ordinalField(l layout, members []string) field {
	last := strconv.Itoa(len(members) - 1)
	return integer(l, func(value any) string {
		i := slices.Index(members, value.(string))
		if i < 0 {
			refuse("notAMember", "members", strings.Join(members, ", "))
		}
		return strconv.Itoa(i)
	}, func(n string) (any, bool) { return members[int64Of(n)], true }, "enumRange", "0", last)
}

func text(value any) string { return fmt.Sprint(value) }

func timeField(s segment, inOrder bool) field {
	//if floor day ordered
	size := max(1, int64Of(s.floor))
	if s.floor == "hour" {
		size = 3_600_000
	} else if s.floor == "day" || s.day {
		size = dayMs
	}
	//end
	zeros := map[string]int{"s": -3, "us": 3, "ns": 6}[s.unit] //if units floor
	zeros := 0 //if !units+!floor
	//if ordered floor seconds
	switch {
	//if ordered+key.isoDate
	case inOrder && s.kind == "isoDate":
		low, high := strconv.Itoa(firstYearMs*1000), strconv.Itoa(lastYearMs*1000)
		return floored(orderedInts(s.desc), size, 1000, low, high)
	//end
	//if ordered
	case inOrder:
		return floored(orderedInts(s.desc), size, 1000, "", "")
	//end
	//if calendar
	case s.floor == "hour":
		return calendarField(digits(10, 0, s.desc, false), "2006010215", size)
	case s.floor == "day":
		return calendarField(digits(8, 0, s.desc, false), "20060102", size)
	//end
	//if floor
	case s.floor != "":
		perMs := map[string]int64{"": 1, "us": 1000}[s.unit]
		return floored(digits(13+zeros, 0, s.desc, true), size, perMs, "", "")
	//end
	//if seconds
	case s.unit == "s":
		l := digits(10, 0, s.desc, false)
		//if long
		if s.long {
			l = longReversed(1)
		}
		//end
		return secondsField(l)
	//end
	}
	//end
	l := digits(13+zeros, zeros, s.desc, false)
	//if long
	if s.long {
		l = longReversed(int64(math.Pow10(zeros)))
	}
	//end
	return integer(l, func(value any) string { return strconv.FormatInt(millis(value), 10) },
		func(n string) (any, bool) { return dateAt(int64Of(n)) }, "timeRange", "", "")
}

// Whole seconds: a bound between two seconds is moved to one of them.
func secondsField(l layout) field {
	f := integer(l, func(value any) string {
		ms := millis(value)
		if ms%1000 != 0 {
			refuse("notWholeSeconds")
		}
		return strconv.FormatInt(ms/1000, 10)
	}, func(n string) (any, bool) {
		if len(n) > 13 {
			return nil, false
		}
		return dateAt(int64Of(n) * 1000)
	}, "timeRange", "", "")
	f.bound = func(to bool, value any, inclusive bool) (any, bool) {
		t, ok := value.(time.Time)
		if !ok {
			return value, inclusive
		}
		ms := millis(t)
		start := floorTo(ms, 1000)
		if start != ms {
			inclusive = to
		}
		return time.UnixMilli(start), inclusive
	}
	return f
}

// Times floored to `size` milliseconds; `perMs` is 0 for whole seconds.
func floored(l layout, size, perMs int64, low, high string) field {
	f := integer(l, func(value any) string {
		ms := floorTo(millis(value), size)
		if perMs == 0 {
			return strconv.FormatInt(floorTo(ms, 1000)/1000, 10)
		}
		return strconv.FormatInt(ms*perMs, 10)
	}, func(n string) (any, bool) {
		ms := int64Of(n)
		if perMs == 0 {
			ms *= 1000
		} else if ms%perMs != 0 {
			return nil, false
		} else {
			ms /= perMs
		}
		if ms%size != 0 {
			return nil, false
		}
		return dateAt(ms)
	}, "timeRange", low, high)
	if size > 1 {
		f.bound = bucketBound(size)
	}
	return f
}

// The UTC hour as yyyymmddhh, or the day as yyyymmdd.
func calendarField(l layout, form string, size int64) field {
	f := integer(l, func(value any) string {
		return unpadded(time.UnixMilli(yearMillis(value, "year")).UTC().Format(form))
	}, func(n string) (any, bool) {
		n = padded(n, len(form))
		t, err := time.Parse(form, n)
		return t, err == nil && t.Format(form) == n
	}, "timeRange", "", "")
	f.bound = bucketBound(size)
	return f
}
