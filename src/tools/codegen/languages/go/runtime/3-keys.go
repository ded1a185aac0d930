// A part of a key: a segment with its field, and its index among the segments; -1 for literals.
type part struct {
	segment
	field
	index int
}

func literal(text string) segment { return segment{kind: "literal", encoding: text} }

// The keys of an entity.
type key struct {
	entity           string
	ordered, escapes bool
	separator, after string
	hashSeparator    string
	parts            []part
	segments         []segment
	shards           int
	by               []string
}

// `format` is "text", "ordered", or a delimiter.
func newKey(entity, format string, shards int, by []string, parts ...segment) *key {
	k := &key{entity: entity, ordered: format == "ordered", escapes: format == "text", shards: shards, by: by}
	k.hashSeparator = format
	if k.ordered || k.escapes {
		k.hashSeparator = "#"
	}
	k.separator = k.hashSeparator
	if k.ordered {
		k.separator = "\x00\x01"
	}
	last := len(k.separator) - 1
	k.after = k.separator[:last] + string([]byte{k.separator[last] + 1})
	for _, each := range parts {
		p := part{segment: each, field: fieldOf(each, k.ordered), index: len(k.segments)}
		//if literals
		if each.kind == "literal" {
			p.index = -1
			k.parts = append(k.parts, p)
			continue
		}
		//end
		k.parts = append(k.parts, p)
		k.segments = append(k.segments, each)
	}
	return k
}

func (k *key) escaped(raw string) string {
	//if ordered
	if k.ordered {
		return strings.ReplaceAll(raw, "\x00", "\x00\xff")
	}
	//end
	if !k.escapes || !strings.ContainsFunc(raw, func(r rune) bool { return r <= '$' }) {
		return raw
	}
	var escaped strings.Builder
	for i := range len(raw) {
		if raw[i] <= '$' {
			fmt.Fprintf(&escaped, "$%02X", raw[i])
		} else {
			escaped.WriteByte(raw[i])
		}
	}
	return escaped.String()
}

// False if escaping would not produce these bytes.
func (k *key) unescaped(raw string) (string, bool) {
	//if ordered
	if k.ordered {
		return strings.ReplaceAll(raw, "\x00\xff", "\x00"), true
	}
	//end
	if !k.escapes || !strings.ContainsFunc(raw, func(r rune) bool { return r <= '$' }) {
		return raw, true
	}
	var plain []byte
	for i := 0; i < len(raw); i++ {
		if raw[i] == '$' && i+2 < len(raw) {
			code, _ := hex.DecodeString(raw[i+1 : i+3])
			plain = append(plain, code...)
			i += 2
		} else {
			plain = append(plain, raw[i])
		}
	}
	return string(plain), k.escaped(string(plain)) == raw
}

func (k *key) write(p part, values []any) string {
	//if literals
	if p.index < 0 {
		return k.escaped(p.encoding)
	}
	//end
	return k.writeValue(p, values[p.index])
}

func (k *key) writeValue(p part, value any) string {
	defer locate("INVALID_KEY", k.entity, p.property)
	value = plain(value)
	if value == nil && !p.nullable {
		refuse("nullValue")
	}
	//if nullable
	if value == nil && !k.ordered {
		if p.field.desc {
			return "~"
		}
		return ""
	}
	//end
	raw := p.field.write(value)
	//if delimited
	if !k.escapes && !k.ordered && strings.Contains(raw, k.separator) {
		refuse("delimiterInValue", "delimiter", quoted(k.separator))
	}
	//end
	//if nullable
	if p.nullable && k.escapes && raw == "" {
		return "$"
	}
	//end
	return k.escaped(raw)
}

func (k *key) encode(values ...any) (encoded string, err error) {
	defer catch(&err)
	return k.encoded(values), nil
}

func (k *key) encoded(values []any) string {
	parts := make([]string, 0, len(k.parts)+1)
	//if shards
	if k.shards > 0 {
		parts = append(parts, "")
	}
	//end
	for _, p := range k.parts {
		parts = append(parts, k.write(p, values))
	}
	//if shards
	if k.shards > 0 {
		parts[0] = k.shardText(k.shard(parts[1:]))
	}
	//end
	key := k.joined(parts)
	if key == "" {
		fail("INVALID_KEY", "emptyKey", k.entity, "")
	}
	if len(key) > maxKey {
		fail("INVALID_KEY", "keyTooLong", k.entity, "", "length", len(key))
	}
	return key
}

func (k *key) joined(parts []string) string {
	//if ordered
	if k.ordered {
		for len(parts) > 0 && parts[len(parts)-1] == "" {
			parts = parts[:len(parts)-1]
		}
		if len(parts) == 0 {
			return "\x00\x00"
		}
		return k.joinedFull(parts)
	}
	//end
	return strings.Join(parts, k.separator)
}

//if ordered
// With the bytes of empty parts in the ordered format.
func (k *key) joinedFull(parts []string) string {
	if k.ordered && slices.Contains(parts, "") {
		parts = slices.Clone(parts)
		for i := range parts {
			if parts[i] == "" {
				parts[i] = "\x00\x00"
			}
		}
	}
	return strings.Join(parts, k.separator)
}

//end
// The hash of the segments that the declaration names.
func (k *key) shard(parts []string) int {
	var hashed []string
	for i, p := range k.parts {
		if p.index >= 0 && i < len(parts) && slices.Contains(k.by, p.property) {
			hashed = append(hashed, parts[i])
		}
	}
	state := uint32(0x811c9dc5)
	for _, each := range []byte(strings.Join(hashed, k.hashSeparator)) {
		state = (state ^ uint32(each)) * 0x01000193
	}
	return int(state % uint32(k.shards))
}

func (k *key) shardWidth() int { return len(strconv.Itoa(k.shards - 1)) }

func (k *key) shardText(shard int) string { return padded(strconv.Itoa(shard), k.shardWidth()) }

func (k *key) parse(raw string) []any {
	values := make([]any, len(k.segments))
	if step := k.read(raw, values); step >= 0 {
		fail("FOREIGN_KEY", "foreignKey", k.entity, "", "reason", k.foreignReason(raw, step))
	}
	return values
}

// The index of the part that does not belong to the key; -1 if all do.
func (k *key) read(raw string, values []any) int {
	count := len(k.parts)
	if raw == "" || len(raw) > maxKey {
		return count
	}
	rest, more := raw, true
	//if ordered
	if k.ordered && raw == "\x00\x00" {
		more = false
	}
	//end
	//if shards
	shard := ""
	if k.shards > 0 {
		width := k.shardWidth()
		if len(raw) < width {
			return count
		}
		shard, rest = raw[:width], raw[width:]
		more = rest != ""
		var ok bool
		if rest, ok = strings.CutPrefix(rest, k.separator); !ok && (more || !k.ordered) {
			return count
		}
	}
	found := make([]string, count)
	//end
	for i, p := range k.parts {
		var escaped string
		var ok bool
		if escaped, rest, more, ok = k.split(rest, more, i == count-1); !ok {
			return i
		}
		found[i] = escaped //if shards
		value, ok := k.value(p, escaped)
		if !ok {
			return i
		}
		//if literals
		if p.index < 0 {
			continue
		}
		//end
		values[p.index] = value
	}
	//if shards
	if k.shards > 0 && shard != k.shardText(k.shard(found)) {
		return count
	}
	//end
	if more {
		return count
	}
	return -1
}

// The escaped bytes of the next part, and what follows its separator, if anything does.
func (k *key) split(rest string, more, last bool) (raw, after string, still, ok bool) {
	//if ordered
	if k.ordered {
		return k.splitOrdered(rest, more, last)
	}
	//end
	raw, after, still = strings.Cut(rest, k.separator)
	return raw, after, still, more && last != still
}

//if ordered
func (k *key) splitOrdered(rest string, more, last bool) (raw, after string, still, ok bool) {
	if !more {
		return "", "", false, true
	}
	end := 0
	if strings.HasPrefix(rest, "\x00\x00") {
		end = 2
	} else {
		for end < len(rest) && (rest[end] != 0 || end+1 < len(rest) && rest[end+1] == 0xff) {
			if rest[end] == 0 {
				end++
			}
			end++
		}
		raw = rest[:end]
	}
	if end == 0 || rest == "\x00\x00" {
		return "", "", false, false
	}
	after, ok = strings.CutPrefix(rest[end:], k.separator)
	if rest = rest[end:]; rest == "" {
		return raw, "", false, true
	}
	return raw, after, true, ok && !last
}

//end
func (k *key) value(p part, escaped string) (any, bool) {
	//if nullable
	if k.escapes && p.nullable {
		switch {
		case escaped == "":
			return nil, !p.field.desc
		case escaped == "$":
			return p.field.read("")
		case escaped == "~" && p.field.desc:
			return nil, true
		}
	}
	//end
	raw, ok := k.unescaped(escaped)
	if !ok {
		return nil, false
	}
	return p.field.read(raw)
}

func (k *key) foreignReason(raw string, step int) string {
	switch {
	case raw == "":
		return words["foreignEmpty"][0]
	case len(raw) > maxKey:
		return filled(words["foreignLong"][0], "length", len(raw))
	//if shards
	case step == len(k.parts) && k.shards > 0:
		return words["foreignShard"][0]
	//end
	case step == len(k.parts):
		return words["foreignEnd"][0]
	}
	position, p := step+1, k.parts[step]
	//if shards
	if k.shards > 0 {
		position++
	}
	//end
	//if literals
	if p.index < 0 {
		return filled(words["foreignLiteral"][0], "position", position, "text", p.encoding)
	}
	//end
	return filled(words["foreignSegment"][0], "position", position, "segment", p.property, "encoding", p.encoding)
}

type limit struct {
	value     any
	inclusive bool
}

// Bound is values of a segment between two ends, in the order of values.
type Bound[T any] struct {
	low, high *limit
	_         [0]T
}

// Between is from `start`, inclusive, to `end`, exclusive.
func Between[T any](start, end T) Bound[T] {
	return Bound[T]{low: &limit{start, true}, high: &limit{end, false}}
}

// AtLeast is the value, and all after it.
func AtLeast[T any](value T) Bound[T] { return Bound[T]{low: &limit{value, true}} }

// MoreThan is all after the value.
func MoreThan[T any](value T) Bound[T] { return Bound[T]{low: &limit{value, false}} }

// AtMost is the value, and all before it.
func AtMost[T any](value T) Bound[T] { return Bound[T]{high: &limit{value, true}} }

// LessThan is all before the value.
func LessThan[T any](value T) Bound[T] { return Bound[T]{high: &limit{value, false}} }

// And has the ends of both, such as MoreThan(a).And(AtMost(b)).
func (b Bound[T]) And(other Bound[T]) Bound[T] {
	if other.low != nil {
		b.low = other.low
	}
	if other.high != nil {
		b.high = other.high
	}
	return b
}

func (b Bound[T]) keys(k *key, p part, under prefix, last bool) []keyRange {
	return k.between(p, under, last, b.low, b.high)
}

type bound interface {
	keys(k *key, p part, under prefix, last bool) []keyRange
}

// Keys are the keys with leading segments, of which the last one may have a bound.
type Keys struct {
	key    *key
	values []any
	bound  bound
}

func (s Keys) with(value any) Keys {
	return Keys{key: s.key, values: append(slices.Clip(s.values), value)}
}

func (s Keys) in(bound bound) Keys { return Keys{s.key, s.values, bound} }

// Ranges has the ranges of the keys. There is none if no key is possible: then the client reads
// nothing.
func (s Keys) Ranges() (ranges bigtable.RowRangeList, err error) {
	defer catch(&err)
	ranges = bigtable.RowRangeList{}
	for _, each := range s.key.ranges(s) {
		if each.infinite {
			ranges = append(ranges, bigtable.InfiniteRange(each.start))
		} else {
			ranges = append(ranges, bigtable.NewRange(each.start, each.end))
		}
	}
	return ranges, nil
}

// Contains tells whether a key is one of them.
func (s Keys) Contains(key string) (found bool, err error) {
	defer catch(&err)
	return slices.ContainsFunc(s.key.ranges(s), func(r keyRange) bool {
		return r.start <= key && (r.infinite || key < r.end)
	}), nil
}

// From start to end, exclusive; without an end if it is infinite.
type keyRange struct {
	start, end string
	infinite   bool
}

func union(ranges []keyRange) []keyRange {
	slices.SortStableFunc(ranges, func(a, b keyRange) int { return strings.Compare(a.start, b.start) })
	var found []keyRange
	for _, each := range ranges {
		if !each.infinite && each.end <= each.start {
			continue
		}
		if len(found) > 0 {
			if last := &found[len(found)-1]; last.infinite || each.start <= last.end {
				last.infinite = last.infinite || each.infinite
				last.end = max(last.end, each.end)
				continue
			}
		}
		found = append(found, each)
	}
	return found
}

// The keys that start with a prefix.
func starting(start, prefix string) keyRange {
	last := len(prefix) - 1
	for last >= 0 && prefix[last] == 0xff {
		last--
	}
	if last < 0 {
		return keyRange{start: start, infinite: true}
	}
	return keyRange{start: start, end: prefix[:last] + string([]byte{prefix[last] + 1})}
}

// The keys below leading parts; `alone` is one that lies apart from the rest.
type prefix struct {
	alone, base string
	rest        keyRange
}

func (p prefix) upTo(end string, infinite bool) []keyRange {
	rest := keyRange{p.rest.start, end, infinite}
	//if ordered
	if p.alone != "" {
		return []keyRange{{start: p.alone, end: p.alone + "\x00"}, rest}
	}
	//end
	return []keyRange{rest}
}

func (k *key) under(parts []string) prefix {
	if len(parts) == 0 {
		return prefix{rest: keyRange{infinite: true}}
	}
	joined := k.joined(parts) //if !ordered
	joined := k.joinedFull(parts) //if ordered
	p := prefix{base: joined + k.separator}
	p.rest = keyRange{start: p.base, end: joined + k.after}
	//if ordered
	if k.ordered && parts[len(parts)-1] == "" {
		p.alone = k.joined(parts)
	} else if k.ordered {
		p.rest.start = k.joined(parts)
	}
	//end
	return p
}

func (k *key) ranges(s Keys) []keyRange {
	var fixed []string
	for _, p := range k.parts {
		if p.index >= len(s.values) {
			break
		}
		fixed = append(fixed, k.write(p, s.values))
	}
	//if shards
	if k.shards > 0 {
		return k.shardRanges(s, fixed)
	}
	//end
	return k.rangesUnder(fixed, len(fixed), s.bound)
}

func (k *key) shardRanges(s Keys, fixed []string) []keyRange {
	from, to := 0, k.shards
	unhashed := func(p part) bool { return p.index >= len(s.values) && slices.Contains(k.by, p.property) }
	if !slices.ContainsFunc(k.parts, unhashed) {
		from = k.shard(fixed)
		to = from + 1
	}
	var found []keyRange
	for ; from < to; from++ {
		parts := append([]string{k.shardText(from)}, fixed...)
		found = append(found, k.rangesUnder(parts, len(fixed), s.bound)...)
	}
	return found
}

func (k *key) rangesUnder(fixed []string, index int, bound bound) []keyRange {
	if index == len(k.parts) {
		key := k.joined(fixed)
		if key == "" || len(key) > maxKey {
			fail("INVALID_KEY", "keyLength", k.entity, "", "length", len(key))
		}
		return []keyRange{{start: key, end: key + "\x00"}}
	}
	p := k.under(fixed)
	if bound == nil {
		return p.upTo(p.rest.end, p.rest.infinite)
	}
	return union(bound.keys(k, k.parts[index], p, index == len(k.parts)-1))
}

// An end as the bytes of a part.
type rawEnd struct {
	raw       string
	inclusive bool
}

func (k *key) end(p part, to bool, given *limit) *rawEnd {
	if given == nil {
		return nil
	}
	value, inclusive := plain(given.value), given.inclusive
	//if floor seconds day
	if p.field.bound != nil {
		defer locate("INVALID_KEY", k.entity, p.property)
		value, inclusive = p.field.bound(to, value, inclusive)
	}
	//end
	return &rawEnd{k.writeValue(p, value), inclusive}
}

func (k *key) between(p part, under prefix, last bool, from, to *limit) []keyRange {
	low, high := k.end(p, false, from), k.end(p, true, to)
	if p.field.desc {
		low, high = high, low
	}
	if high != nil && high.raw == "" && !high.inclusive {
		return nil
	}
	end, infinite := under.rest.end, under.rest.infinite
	if high != nil {
		end, infinite = k.boundKey(under, high.raw, high.inclusive, last), false
	}
	if low == nil || low.raw == "" && low.inclusive {
		return under.upTo(end, infinite)
	}
	return []keyRange{{k.boundKey(under, low.raw, !low.inclusive, last), end, infinite}}
}

func (k *key) boundKey(under prefix, raw string, after, last bool) string {
	//if ordered
	if raw == "" && k.ordered {
		raw = "\x00\x00"
	}
	//end
	key := under.base + raw
	if !after {
		return key
	}
	return key + k.afterValue(last)
}

func (k *key) afterValue(last bool) string {
	if last && !k.ordered {
		return "\x00"
	}
	return k.after
}

// Texts that start with a text.
type startsWith string

func (text startsWith) keys(k *key, p part, under prefix, last bool) []keyRange {
	//if lower
	if p.field.lowers {
		// A capital sigma at the end of a word has another lower case.
		open := lowerCase(string(text) + "a")
		found := k.starting(lowerCase(string(text)), p, under, last)
		return append(found, k.starting(open[:len(open)-1], p, under, last)...)
	}
	//end
	return k.starting(string(text), p, under, last)
}

func (k *key) starting(text string, p part, under prefix, last bool) []keyRange {
	value := k.writeValue(p, text)
	//if nullable
	if text == "" && p.nullable {
		return k.between(p, under, last, &limit{}, nil)
	}
	//end
	if text == "" {
		return under.upTo(under.rest.end, under.rest.infinite)
	}
	//if ordered+nullable
	if p.field.inner != nil {
		return []keyRange{starting(under.base+value, under.base+k.escaped(p.field.inner(text)))}
	}
	//end
	return []keyRange{starting(under.base+value, under.base+value)}
}

//if key.domain
// A domain and its subdomains.
type subdomains string

func (domain subdomains) keys(k *key, p part, under prefix, last bool) []keyRange {
	value := under.base + k.writeValue(p, string(domain))
	first := value
	if !k.ordered && !last {
		first += k.separator
	}
	return []keyRange{{start: first, end: value + k.afterValue(last)}, starting(value+".", value+".")}
}

//end
