// Values of a column as the bytes of a cell.
type codec struct {
	kind   string
	encode func(value any) []byte
	decode func(raw []byte) any
}

func int64Bytes(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

func readInt64(raw []byte, kind string) int64 {
	checkLength(raw, 8, kind)
	return int64(binary.BigEndian.Uint64(raw))
}

func jsonOf(value any) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		refuse("notJson", "given", fmt.Sprintf("%T (%v)", value, err))
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n"))
}

func validText(raw []byte) string {
	if !utf8.Valid(raw) {
		refuse("cellNotUtf8")
	}
	return string(raw)
}

// A scalar; numbers are big-endian, as in Bigtable's own encodings.
func scalar(kind string) codec {
	switch kind {
	//if cell.string
	case "string":
		return codec{kind, writeText, func(raw []byte) any { return validText(raw) }}
	//end
	//if cell.bytes
	case "bytes":
		// The client reads an empty cell as nil, which is no value in a row.
		write := func(value any) []byte { return value.([]byte) }
		return codec{kind, write, func(raw []byte) any { return append([]byte{}, raw...) }}
	//end
	//if cell.bool
	case "bool":
		return codec{kind, writeBool, readBool}
	//end
	//if cell.int32
	case "int32":
		return codec{kind, func(value any) []byte { return int64Bytes(int64(value.(int32))) }, func(raw []byte) any {
			n := readInt64(raw, kind)
			if n != int64(int32(n)) {
				refuse("cellOutOfRange", "number", n, "kind", kind)
			}
			return int32(n)
		}}
	//end
	//if cell.uint32
	case "uint32":
		return codec{kind, func(value any) []byte { return int64Bytes(int64(value.(uint32))) }, func(raw []byte) any {
			n := readInt64(raw, kind)
			if n != int64(uint32(n)) {
				refuse("cellOutOfRange", "number", n, "kind", kind)
			}
			return uint32(n)
		}}
	//end
	//if cell.int64
	case "int64":
		write := func(value any) []byte { return int64Bytes(value.(int64)) }
		return codec{kind, write, func(raw []byte) any { return readInt64(raw, kind) }}
	//end
	//if cell.double
	case "double":
		return codec{kind, func(value any) []byte {
			return binary.BigEndian.AppendUint64(nil, math.Float64bits(value.(float64)))
		}, func(raw []byte) any { return math.Float64frombits(uint64(readInt64(raw, kind))) }}
	//end
	//if cell.float
	case "float":
		return codec{kind, func(value any) []byte {
			return binary.BigEndian.AppendUint32(nil, math.Float32bits(value.(float32)))
		}, func(raw []byte) any {
			checkLength(raw, 4, kind)
			return math.Float32frombits(binary.BigEndian.Uint32(raw))
		}}
	//end
	//if cell.timestamp
	case "timestamp":
		return codec{kind, func(value any) []byte { return int64Bytes(millis(value) * 1000) }, readTime}
	//end
	//if cell.date
	case "date":
		return codec{kind, writeDay, readDay}
	//end
	//if cell.json
	case "json":
		return codec{kind, jsonOf, readJSON}
	//end
	}
	panic(kind)
}

func checkLength(raw []byte, expected int, kind string) {
	if len(raw) == expected {
		return
	}
	shown := fmt.Sprintf("%d bytes", expected)
	if expected == 1 {
		shown = "1 byte"
	}
	refuse("cellLength", "expected", shown, "kind", kind, "length", len(raw))
}

func writeText(value any) []byte {
	if !utf8.ValidString(value.(string)) {
		refuse("notUtf8")
	}
	return []byte(value.(string))
}

func writeBool(value any) []byte {
	if value.(bool) {
		return []byte{1}
	}
	return []byte{0}
}

func readBool(raw []byte) any {
	checkLength(raw, 1, "bool")
	if raw[0] > 1 {
		refuse("cellNotABool", "text", strconv.FormatUint(uint64(raw[0]), 16))
	}
	return raw[0] == 1
}

func readTime(raw []byte) any {
	micros := readInt64(raw, "timestamp")
	if micros%1000 != 0 {
		refuse("cellMicroseconds")
	}
	t, ok := dateAt(micros / 1000)
	if !ok {
		refuse("cellBeyondDates")
	}
	return t
}

func writeDay(value any) []byte {
	if t, err := time.Parse(time.DateOnly, value.(string)); err != nil || t.Format(time.DateOnly) != value {
		refuse("wrongDay", "given", textOf(value))
	}
	return []byte(value.(string))
}

func readDay(raw []byte) any {
	if t, err := time.Parse(time.DateOnly, string(raw)); err != nil || t.Format(time.DateOnly) != string(raw) {
		refuse("cellNotADay")
	}
	return string(raw)
}

func readJSON(raw []byte) (value any) {
	if err := json.Unmarshal([]byte(validText(raw)), &value); err != nil {
		refuse("cellNotJson")
	}
	return value
}

// Messages of a class that protoc-gen-go generated.
func packed[T any, P interface {
	*T
	proto.Message
}](name string) codec {
	return codec{name, func(value any) []byte {
		if value = plain(value); value == nil {
			refuse("wrongMessage", "name", name, "given", "nil")
		}
		raw, err := proto.MarshalOptions{Deterministic: true}.Marshal(value.(proto.Message))
		if err != nil {
			refuse("notUtf8")
		}
		return raw
	}, func(raw []byte) any {
		value := P(new(T))
		if err := proto.Unmarshal(raw, value); err != nil {
			refuse("cellNotAMessage", "name", name, "error", err)
		}
		return value
	}}
}

// Messages with times. Those that TypeScript refuses are refused; protobuf accepts them.
func timed(plain codec) codec {
	return codec{plain.kind, func(value any) []byte {
		raw := plain.encode(value)
		checkTimes(value.(proto.Message).ProtoReflect())
		return raw
	}, func(raw []byte) any {
		value := plain.decode(raw)
		checkTimes(value.(proto.Message).ProtoReflect())
		return value
	}}
}

func checkTimes(m protoreflect.Message) {
	if m.Descriptor().FullName() == "google.protobuf.Timestamp" {
		fields := m.Descriptor().Fields()
		if nanos := m.Get(fields.ByNumber(2)).Int(); nanos < 0 || nanos > 999_999_999 {
			refuse("nanosOutOfRange")
		}
		if s := m.Get(fields.ByNumber(1)).Int(); s < -62_135_596_800 || s > 253_402_300_799 {
			refuse("timestampOutOfRange")
		}
	}
	m.Range(func(f protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case f.IsMap() && f.MapValue().Message() != nil:
			value.Map().Range(func(_ protoreflect.MapKey, each protoreflect.Value) bool {
				checkTimes(each.Message())
				return true
			})
		case f.Message() == nil || f.IsMap():
		case f.IsList():
			for i := 0; i < value.List().Len(); i++ {
				checkTimes(value.List().Get(i).Message())
			}
		default:
			checkTimes(value.Message())
		}
		return true
	})
}

// Messages with a version in a field; TypeScript upgrades earlier versions.
func versioned(plain codec, name string, number protoreflect.FieldNumber, current uint32) codec {
	field := func(m protoreflect.Message) protoreflect.FieldDescriptor {
		return m.Descriptor().Fields().ByNumber(number)
	}
	return codec{plain.kind, func(value any) []byte {
		if m, ok := value.(proto.Message); ok && m.ProtoReflect().IsValid() && !m.ProtoReflect().Has(field(m.ProtoReflect())) {
			// It was created for the current class. It is copied, not modified.
			m = proto.Clone(m)
			m.ProtoReflect().Set(field(m.ProtoReflect()), protoreflect.ValueOfUint32(current))
			value = m
		}
		return plain.encode(value)
	}, func(raw []byte) any {
		value := plain.decode(raw)
		m := value.(proto.Message).ProtoReflect()
		stored := uint32(1)
		if m.Has(field(m)) {
			stored = uint32(m.Get(field(m)).Uint())
		}
		if 0 < stored && stored < current {
			refuseUnsupported("."+name, "earlierVersion", "stored", stored, "current", current)
		}
		if stored != current {
			r := faultOf("unknownVersion", "stored", stored, "current", current)
			r.path = "." + name
			panic(r)
		}
		return value
	}}
}

//if map
// The keys of a column map as qualifiers.
func qualifiers(s segment) *field {
	//if map.typed
	if s.kind != "string" {
		return typedQualifiers(s)
	}
	//end
	return &field{write: func(value any) string {
		if !utf8.ValidString(value.(string)) {
			refuse("notUtf8")
		}
		if len(value.(string)) > 16_384 {
			refuse("qualifierTooLong", "length", len(value.(string)))
		}
		return value.(string)
	}, read: func(raw string) (any, bool) {
		if !utf8.ValidString(raw) {
			refuse("qualifierNotUtf8")
		}
		return raw, true
	}}
}

//end
func typedQualifiers(s segment) *field {
	f := fieldOf(s, false)
	plain := f
	f.write = func(value any) (raw string) {
		defer func() {
			if r, ok := recover().(*fault); ok {
				r.fix = words[s.kind+"Key"][1]
				panic(r)
			}
		}()
		if digits, ok := value.(string); ok && s.kind == "bigint" {
			if value = bigOf(digits); value == (*big.Int)(nil) {
				refuse("notABigint")
			}
		}
		return plain.write(value)
	}
	f.read = func(raw string) (any, bool) {
		value, ok := plain.read(raw)
		if !ok {
			refuse("foreignQualifier", "kind", s.kind)
		}
		if n, big := value.(*big.Int); big {
			value = n.String()
		}
		return value, true
	}
	return &f
}

// What values must be when they are written, beyond their kind. Limits are decimal text.
type rules struct {
	oneOf []any //if oneOf

	minLength, maxLength int //if lengths

	//if patterns
	// For Go, nil if it has no such expression, and as the declaration writes it.
	pattern  *regexp.Regexp
	declared string
	//end

	min, max string //if limits
}

func expression(text string) *regexp.Regexp {
	compiled, _ := regexp.Compile(text)
	return compiled
}

func bigOf(text string) *big.Int {
	n, _ := new(big.Int).SetString(text, 10)
	return n
}

//if rules
func (r *rules) issues(value any) (found []string) {
	issue := func(word string, given ...any) { found = append(found, filled(words[word][0], given...)) }
	//if oneOf
	if r.oneOf != nil && !slices.ContainsFunc(r.oneOf, func(each any) bool { return same(each, value) }) {
		issue("notOneOf", "given", textOf(value), "members", membersText(r.oneOf))
	}
	//end
	//if lengths
	length := -1
	switch v := value.(type) {
	case string:
		length = utf16Length(v)
	case []byte:
		length = len(v)
	}
	if length == 0 && r.minLength > 0 {
		issue("emptyText")
	} else if length >= 0 && length < r.minLength {
		issue("tooShort", "length", length, "min", r.minLength)
	}
	if r.maxLength > 0 && length > r.maxLength {
		issue("tooLong", "length", length, "max", r.maxLength)
	}
	//end
	//if patterns
	if v, ok := value.(string); ok && r.declared != "" {
		if r.pattern == nil {
			fail("UNSUPPORTED", "unwritable", "", "", "reason", "Go has no pattern "+r.declared)
		}
		if !r.pattern.MatchString(v) {
			issue("noMatch", "given", textOf(value), "pattern", r.declared)
		}
	}
	//end
	//if limits
	switch v := value.(type) {
	case int32, uint32, int64, uint64, float32, float64, *big.Int:
		if r.min != "" && !ordered(r.min, v) {
			issue("tooSmall", "given", textOf(value), "min", r.min)
		}
		if r.max != "" && !ordered(v, r.max) {
			issue("tooGreat", "given", textOf(value), "max", r.max)
		}
	}
	//end
	return found
}

//end
// Whether a <= b, of numbers and decimal text.
func ordered(a, b any) bool {
	x, xok := new(big.Rat).SetString(fmt.Sprint(a))
	y, yok := new(big.Rat).SetString(fmt.Sprint(b))
	if xok && yok {
		return x.Cmp(y) <= 0
	}
	// Infinity and NaN.
	m, _ := strconv.ParseFloat(fmt.Sprint(a), 64)
	n, _ := strconv.ParseFloat(fmt.Sprint(b), 64)
	return m <= n
}

func same(a, b any) bool {
	if _, isText := b.(string); isText {
		return a == b
	}
	return fmt.Sprint(a) == fmt.Sprint(b)
}

func membersText(members []any) string {
	var shown []string
	for _, each := range members[:min(10, len(members))] {
		if text, ok := each.(string); ok {
			shown = append(shown, "'"+text+"'")
		} else {
			shown = append(shown, numberText(each))
		}
	}
	if len(members) > 10 {
		shown = append(shown, fmt.Sprintf("%d more", len(members)-10))
	}
	return strings.Join(shown, ", ")
}

//if versions
// Version is a stored version of a column, with the timestamp of its cell.
type Version[T any] struct {
	At    time.Time
	Value T
}

//end
func versionsOf[T any](value any) (found []Version[T]) {
	for _, each := range as[[]Version[any]](value) {
		found = append(found, Version[T]{each.At, as[T](each.Value)})
	}
	return found
}

func versions[T any](given []Version[T]) (found []Version[any]) {
	for _, each := range given {
		found = append(found, Version[any]{each.At, each.Value})
	}
	return found
}

type entry struct{ key, value any }

func entries[K comparable, V any](given map[K]V) (found []entry) {
	for key, value := range given {
		found = append(found, entry{key, value})
	}
	return found
}

func mapOf[K comparable, V any](value any) map[K]V {
	found := map[K]V{}
	for _, each := range as[[]entry](value) {
		found[as[K](each.key)] = as[V](each.value)
	}
	return found
}

// A column, as the entity declares it; `kind` is how its cells are read.
type column struct {
	kind, property, family, qualifier string
	codec                             codec
	alsoReads                         []string
	initial                           any
	required, aggregate               bool
	keys                              *field
	rules                             *rules
}

type cell struct{ family, qualifier string }

type maxAge struct {
	micros int64
	rule   string
}

// What an entity has besides its key and columns. Values are segments, then columns.
type options struct {
	marker, exists *cell
	// The values that give the timestamp of cells, and the time at which a row expires.
	cellTime, expiry func(values []any) any
	timeProperty     string
	expiryMicros     int64
	// After which garbage collection removes cells, by family.
	maxAges map[string]maxAge
}

type entity struct {
	*key
	options
	columns []column
}

func newEntity(key *key, options options, columns ...column) *entity {
	return &entity{key, options, columns}
}

func valueAt(index int) func([]any) any {
	return func(values []any) any { return plain(values[index]) }
}

// The values of a row; nil if it does not exist.
func (e *entity) read(row bigtable.Row) []any {
	if len(row) == 0 {
		return nil
	}
	values := e.parse(row.Key())
	cells := map[cell][]bigtable.ReadItem{}
	found := false
	for family, items := range row {
		found = found || slices.ContainsFunc(e.columns, func(c column) bool { return c.family == family })
		found = found || e.marker != nil && family == e.marker.family //if marker
		for _, item := range items {
			at := cell{family, item.Column[len(family)+1:]}
			cells[at] = append(cells[at], item)
		}
	}
	if !found || e.exists != nil && cells[*e.exists] == nil { //if exists
	if !found { //if !exists
		return nil
	}
	var missing []string //if required
	for _, c := range e.columns {
		value := e.readColumn(c, cells, row)
		//if required
		if value == nil && c.required {
			missing = append(missing, c.property)
		}
		//end
		values = append(values, value)
	}
	//if required
	if len(missing) > 0 {
		verb := "are"
		if len(missing) == 1 {
			verb = "is"
		}
		names := "'" + strings.Join(missing, "', '") + "'"
		fail("INCOMPLETE_ROW", "incompleteRow", e.entity, missing[0], "names", names, "verb", verb)
	}
	//end
	return values
}

func (e *entity) readColumn(c column, cells map[cell][]bigtable.ReadItem, row bigtable.Row) any {
	defer locate("DAMAGED_CELL", e.entity, c.property)
	//if map
	if c.kind == "map" {
		return c.readMap(row[c.family])
	}
	//end
	stored := cells[cell{c.family, c.qualifier}]
	//if versions
	if c.kind == "versions" {
		var found []Version[any]
		for _, item := range stored {
			at := time.UnixMilli(floorTo(int64(item.Timestamp), 1000) / 1000).UTC()
			found = append(found, Version[any]{at, c.codec.decode(item.Value)})
		}
		return found
	}
	//end
	//if alsoReads
	for _, qualifier := range c.alsoReads {
		if stored == nil {
			stored = cells[cell{c.family, qualifier}]
		}
	}
	//end
	if stored == nil {
		return c.initial
	}
	value := c.codec.decode(stored[0].Value)
	//if oneOf
	if c.rules != nil && c.rules.oneOf != nil && !slices.ContainsFunc(c.rules.oneOf, func(each any) bool { return same(each, value) }) {
		refuse("notOneOf", "given", textOf(value), "members", membersText(c.rules.oneOf))
	}
	//end
	return value
}

//if map
func (c column) readMap(items []bigtable.ReadItem) (found []entry) {
	last := ""
	for i, item := range items {
		// The newest cell of each column is the first.
		if i > 0 && item.Column == last {
			continue
		}
		last = item.Column
		key, _ := c.keys.read(last[len(c.family)+1:])
		found = append(found, entry{key, c.codec.decode(item.Value)})
	}
	return found
}

//end
// WriteOption changes how rows are written.
type WriteOption func(*writer)

//if writers
// WrittenAt is the time of a write; default: now.
func WrittenAt(now time.Time) WriteOption { return func(w *writer) { w.now = now } }

// NewRow writes a row that does not exist, of which nothing is deleted.
func NewRow() WriteOption { return func(w *writer) { w.insert = true } }

//end
type written struct {
	family string
	micros int64
}

type writer struct {
	*entity
	m      *bigtable.Mutation
	now    time.Time
	insert bool
	at     int64
	cells  []written
}

func (e *entity) writer(given []WriteOption) *writer {
	w := &writer{entity: e, m: bigtable.NewMutation()}
	for _, each := range given {
		each(w)
	}
	if w.now.IsZero() {
		w.now = time.Now()
	}
	w.now = w.now.Truncate(time.Millisecond)
	return w
}

type issue struct{ property, text string }

func (e *entity) refuseAll(code string, issues []issue, fix string) {
	var shown []string
	for _, each := range issues[:min(10, len(issues))] {
		shown = append(shown, each.property+": "+each.text)
	}
	if len(issues) > 10 {
		shown = append(shown, fmt.Sprintf("and %d more", len(issues)-10))
	}
	panic(&Error{code, e.entity, issues[0].property, strings.Join(shown, "; "), fix})
}

//if required rules
// Refuses values that break the rules of the declaration.
func (e *entity) check(values []any) {
	var issues []issue
	add := func(property string, rules *rules, value any) {
		if rules == nil || value == nil {
			return
		}
		for _, text := range rules.issues(value) { //if rules
			issues = append(issues, issue{property, text}) //if rules
		} //if rules
	}
	//if keyRules
	for i, s := range e.segments {
		value := plain(values[i])
		//if lower normalize
		if text, ok := value.(string); ok {
			value = canonical(s, text)
		}
		//end
		add(s.property, s.rules, value)
	}
	//end
	//if required columnRules
	for i, c := range e.columns {
		value := e.given(values, i)
		//if required
		if value == nil && c.required {
			issues = append(issues, issue{c.property, words["required"][0]})
		}
		//end
		if c.kind == "" {
			add(c.property, c.rules, value)
		}
	}
	//end
	if len(issues) > 0 {
		e.refuseAll("VALIDATION_FAILED", issues, words["brokenRules"][1])
	}
}

//end
func (e *entity) given(values []any, i int) any {
	value := values[len(e.segments)+i]
	//if cell.json
	if e.columns[i].codec.kind == "json" {
		return value
	}
	//end
	return plain(value)
}

// The whole row: columns without a value are deleted, unless the row is new.
func (e *entity) mutation(given []WriteOption, values ...any) (m *bigtable.Mutation, err error) {
	defer catch(&err)
	w := e.writer(given)
	e.check(values) //if required rules
	e.encoded(values)
	w.at = w.now.UnixMilli() * 1000 //if !cellTime+!expiry
	w.at = w.cellMicros(values) //if cellTime expiry
	var defaults []int //if defaults
	var refused []issue
	var first *Error
	for i, c := range e.columns {
		//if counter map+aggregates
		if c.kind == "counter" || c.kind == "map" && c.aggregate {
			continue
		}
		//end
		value := e.given(values, i)
		kept := func() (kept *fault) {
			defer keep(&kept)
			//if defaults
			if value != nil && c.initial != nil && bytes.Equal(c.codec.encode(value), c.codec.encode(c.initial)) {
				defaults = append(defaults, i)
				value = nil
			}
			//end
			w.write(c, value)
			return nil
		}()
		if kept != nil {
			refused = append(refused, issue{c.property + kept.path, kept.problem})
			first = kept.in("INVALID_VALUE", e.entity, c.property)
		}
	}
	if len(refused) == 1 {
		panic(first)
	}
	if len(refused) > 1 {
		e.refuseAll("INVALID_VALUE", refused, words["wrongValues"][1])
	}
	//if marker
	if e.marker != nil {
		w.mark(w.at)
	}
	//end
	//if defaults
	if len(w.cells) == 0 {
		// A row has a cell. It is the only reason to store a default.
		for _, i := range defaults {
			w.write(e.columns[i], e.given(values, i))
		}
	}
	//end
	if len(w.cells) == 0 {
		fail("EMPTY_ROW", "emptyRow", e.entity, "")
	}
	//if maxAges
	if w.insert {
		w.refuseExpired()
	}
	//end
	return w.m, nil
}

func (w *writer) write(c column, value any) {
	switch {
	//if map
	case c.kind == "map":
		w.writeMap(c, value.([]entry))
	//end
	//if versions
	case c.kind == "versions":
		w.writeVersions(c, value.([]Version[any]))
	//end
	case value != nil:
		raw := c.codec.encode(value)
		//if expiry
		if w.expiry != nil {
			w.deleteAll(c)
			w.set(c.family, c.qualifier, w.at, raw)
			return
		}
		//end
		w.set(c.family, c.qualifier, w.at, raw)
		//if alsoReads
		if !w.insert {
			for _, each := range c.alsoReads {
				w.delete(c.family, each)
			}
		}
		//end
	case !w.insert:
		w.deleteAll(c)
	}
}

func (w *writer) set(family, qualifier string, micros int64, raw []byte) {
	w.m.Set(family, qualifier, bigtable.Timestamp(micros), raw)
	w.cells = append(w.cells, written{family, micros})
}

// Newer cells are left, as their values would be.
func (w *writer) delete(family, qualifier string) {
	w.m.DeleteTimestampRange(family, qualifier, 0, bigtable.Timestamp(w.at+1000))
}

func (w *writer) deleteAll(c column) {
	for _, each := range append([]string{c.qualifier}, c.alsoReads...) { //if alsoReads
	for _, each := range []string{c.qualifier} { //if !alsoReads
		//if expiry
		if w.expiry != nil {
			w.m.DeleteCellsInColumn(c.family, each)
			continue
		}
		//end
		w.delete(c.family, each)
	}
}

func encodedAt(c codec, value any, path string) []byte {
	defer func() {
		if r := recover(); r != nil {
			if r, ok := r.(*fault); ok {
				r.path = path + r.path
			}
			panic(r)
		}
	}()
	return c.encode(value)
}

func indexPath(key any) string {
	switch v := key.(type) {
	case time.Time:
		return "[" + quoted(v.UTC().Format(isoTime)) + "]"
	case string:
		return "[" + quoted(v) + "]"
	}
	return fmt.Sprintf("[%v]", key)
}

func (w *writer) writeMap(c column, given []entry) {
	if !w.insert {
		w.m.DeleteCellsInFamily(c.family)
	}
	for _, each := range qualified(c, given) {
		w.set(c.family, each.key.(string), w.at, each.value.([]byte))
	}
}

// Entries as qualifiers and cells, sorted.
func qualified(c column, given []entry) []entry {
	var found []entry
	for _, each := range given {
		found = append(found, entry{c.keys.write(each.key), encodedAt(c.codec, each.value, indexPath(each.key))})
	}
	slices.SortFunc(found, func(a, b entry) int { return strings.Compare(a.key.(string), b.key.(string)) })
	return found
}

//if versions
func (w *writer) writeVersions(c column, given []Version[any]) {
	if !w.insert {
		w.m.DeleteCellsInColumn(c.family, c.qualifier)
	}
	times := map[int64]bool{}
	for i, each := range given {
		path := fmt.Sprintf("[%d]", i)
		shown := each.At.UTC().Format(isoTime)
		encodedAt(codec{encode: func(any) []byte {
			ms := millis(each.At)
			if ms < 0 {
				refuse("notAVersion", "given", shown)
			}
			if times[ms] {
				refuse("duplicateVersion", "at", shown)
			}
			times[ms] = true
			return nil
		}}, nil, path)
		w.set(c.family, c.qualifier, millis(each.At)*1000, encodedAt(c.codec, each.Value, path+".value"))
	}
}

//end
func (w *writer) mark(micros int64) {
	//if expiry
	if w.expiry != nil {
		w.m.DeleteCellsInColumn(w.marker.family, w.marker.qualifier)
	}
	//end
	w.set(w.marker.family, w.marker.qualifier, micros, []byte{})
}

// The timestamp of the cells: what a property says, else now.
func (w *writer) cellMicros(values []any) int64 {
	source := w.cellTime
	if w.expiry != nil {
		source = w.expiry
	}
	if source == nil {
		return w.now.UnixMilli() * 1000
	}
	micros := int64(-1)
	var kept *fault
	t, ok := source(values).(time.Time)
	if ok {
		func() {
			defer keep(&kept)
			micros = millis(t)*1000 - w.expiryMicros
		}()
	}
	if micros >= 0 {
		return micros
	}
	if w.expiry == nil {
		fail("INVALID_VALUE", "wrongCellTime", w.entity.entity, w.timeProperty, "name", w.timeProperty)
	}
	given, first := "nil", time.UnixMilli(w.expiryMicros/1000).UTC().Format(isoTime)
	if ok {
		given = t.UTC().Format(isoTime)
	}
	fail("INVALID_VALUE", "wrongExpiry", w.entity.entity, w.timeProperty, "given", given, "first", first)
	return 0
}

// Refuses a new row that garbage collection would hide at once.
func (w *writer) refuseExpired() {
	current := w.now.UnixMilli() * 1000
	newest := written{micros: math.MinInt64}
	for _, each := range w.cells {
		limit, limited := w.maxAges[each.family]
		if !limited || current-each.micros <= limit.micros {
			return
		}
		if each.micros > newest.micros {
			newest = each
		}
	}
	if len(w.cells) == 0 {
		return
	}
	at := time.UnixMilli(newest.micros / 1000).UTC().Format(isoTime)
	fail("INVALID_VALUE", "expiredRow", w.entity.entity, "", "family", newest.family, "rule", w.maxAges[newest.family].rule, "at", at)
}

// Additions to counters of aggregate families, by property, and to entries of their maps.
func (e *entity) additions(given []WriteOption, amounts map[string]any) (m *bigtable.Mutation, err error) {
	defer catch(&err)
	w := e.writer(given)
	added := false //if marker
	for _, c := range e.columns {
		switch amount := amounts[c.property].(type) {
		case int64:
			if amount != 0 {
				w.m.AddIntToCell(c.family, c.qualifier, 0, amount)
				added = true //if marker
			}
		//if map
		case []entry:
			func() {
				defer locate("INVALID_VALUE", e.entity, c.property)
				for _, each := range qualified(c, amount) {
					w.m.AddIntToCell(c.family, each.key.(string), 0, readInt64(each.value.([]byte), "int64"))
					added = true //if marker
				}
			}()
		//end
		}
	}
	//if marker
	if added && e.marker != nil {
		w.mark(w.now.UnixMilli() * 1000)
	}
	//end
	return w.m, nil
}

// Increments of counters, by property.
func (e *entity) increments(amounts map[string]int64) *bigtable.ReadModifyWrite {
	rules := bigtable.NewReadModifyWrite()
	for _, c := range e.columns {
		if amount := amounts[c.property]; amount != 0 {
			rules.Increment(c.family, c.qualifier, amount)
		}
	}
	return rules
}

// Refuses to write rows that other rows follow from, or code of TypeScript checks.
func refuseWriter(entity, reason string) error {
	return faultOf("unwritable", "reason", reason).in("UNSUPPORTED", entity, "")
}

// A number of a rollup: an integer, divided by a power of ten.
func scaled(value any, decimals int) any {
	if n, ok := value.(int64); ok {
		return float64(n) / math.Pow10(decimals)
	}
	return nil
}

// The same for numbers of 32 bits.
func single(value any, decimals int) any {
	if n, ok := scaled(value, decimals).(float64); ok {
		return float64(float32(n))
	}
	return nil
}

func decimalOf(value any, decimals int) any {
	if n, ok := value.(int64); ok {
		return decimalText(strconv.FormatInt(n, 10), decimals)
	}
	return nil
}

func timeOf(value any) any {
	if n, ok := value.(int64); ok {
		return time.UnixMilli(n).UTC()
	}
	return nil
}

// Rounded as in TypeScript.
func mean(total, count any, decimals int) any {
	sum, divisor := big.NewInt(as[int64](total)), big.NewInt(as[int64](count))
	if divisor.Sign() == 0 {
		return nil
	}
	divisor.Mul(divisor, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil))
	limit := big.NewInt(maxSafe)
	if sum.CmpAbs(limit) <= 0 && divisor.Cmp(limit) <= 0 {
		return float64(sum.Int64()) / float64(divisor.Int64())
	}
	whole, rest := new(big.Int).QuoRem(sum, divisor, new(big.Int))
	float := func(n *big.Int) float64 { f, _ := new(big.Float).SetInt(n).Float64(); return f }
	return float(whole) + float(rest)/float(divisor)
}

func sumOf(value any) int64 { return as[int64](value) }

// Whether no write of a bucket is under way, nor its extremes are to be computed again.
func settled(marks, state any) bool {
	return len(as[[]entry](marks)) == 0 &&
		!slices.ContainsFunc(as[[]entry](state), func(each entry) bool { return each.key == "s" })
}
