// Runs generated Go: a line of JSON for each request, and one for each answer. The registry that the
// tests write beside this file names what the package has of each entity.
package main

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"os"
	"reflect"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/protobuf/proto"

	"rowsmith/test/languages/go/rows"
)

// What the package has of an entity; functions that it does not have are nil.
type api struct {
	keyOf, parse, keys, fromRow     any
	key, row, increments, additions any
}

// What the compiler refuses.
type typeError struct{ text string }

func (e typeError) Error() string { return e.text }

func mistyped(target reflect.Type, given any) {
	panic(typeError{fmt.Sprintf("%v is no %s", given, target)})
}

type request struct {
	Op, Entity, Key, Table string
	Values                 map[string]any
	Increments, Additions  map[string]any
	Insert                 bool
	Now                    int64
	Cells                  [][]any
}

func tagOf(given any) (string, any) {
	if tagged, ok := given.(map[string]any); ok {
		for tag, content := range tagged {
			return tag, content
		}
	}
	return "", given
}

// A value of a type from its tagged form.
func valueOf(target reflect.Type, given any) reflect.Value {
	value := reflect.New(target).Elem()
	tag, content := tagOf(given)
	text, isText := content.(string)
	switch typed := value.Addr().Interface().(type) {
	case *time.Time:
		switch tag {
		case "$time":
			*typed = time.UnixMilli(int64(content.(float64)))
		case "$micros":
			*typed = time.UnixMicro(int64(content.(float64)))
		default:
			mistyped(target, given)
		}
		return value
	case **big.Int:
		if given == nil {
			return value
		}
		if tag != "$int" {
			mistyped(target, given)
		}
		*typed, _ = new(big.Int).SetString(text, 10)
		return value
	case *[]byte:
		if given == nil {
			return value
		}
		if tag != "$bytes" {
			mistyped(target, given)
		}
		*typed, _ = hex.DecodeString(text)
		return value
	case *any:
		*typed = content
		return value
	}
	switch {
	case target.Kind() == reflect.Pointer && tag == "$message":
		message := reflect.New(target.Elem())
		raw, _ := hex.DecodeString(text)
		if err := proto.Unmarshal(raw, message.Interface().(proto.Message)); err != nil {
			panic(err)
		}
		return message
	case target.Kind() == reflect.Pointer && given == nil:
	case target.Kind() == reflect.Pointer:
		value.Set(reflect.New(target.Elem()))
		value.Elem().Set(valueOf(target.Elem(), given))
	case target.Kind() == reflect.Map:
		value.Set(reflect.MakeMap(target))
		if given == nil {
			break
		}
		for _, each := range content.([]any) {
			pair := each.([]any)
			value.SetMapIndex(mapKey(target.Key(), pair[0]), valueOf(target.Elem(), pair[1]))
		}
	case target.Kind() == reflect.Slice:
		if given == nil {
			break
		}
		for _, each := range content.([]any) {
			_, pair := tagOf(each)
			version := reflect.New(target.Elem()).Elem()
			for i, part := range pair.([]any) {
				version.Field(i).Set(valueOf(version.Field(i).Type(), part))
			}
			value.Set(reflect.Append(value, version))
		}
	case target.Kind() == reflect.String && isText && (tag == "" || tag == "$decimal" || tag == "$date"):
		value.SetString(text)
	case target.Kind() == reflect.Bool:
		truth, ok := given.(bool)
		if !ok {
			mistyped(target, given)
		}
		value.SetBool(truth)
	case value.CanInt() && tag == "$int":
		n, err := strconv.ParseInt(text, 10, target.Bits())
		if err != nil {
			mistyped(target, given)
		}
		value.SetInt(n)
	case value.CanUint() && tag == "$int":
		n, err := strconv.ParseUint(text, 10, target.Bits())
		if err != nil {
			mistyped(target, given)
		}
		value.SetUint(n)
	case value.CanFloat() && tag == "$float":
		bits, _ := strconv.ParseUint(text, 16, 64)
		value.SetFloat(math.Float64frombits(bits))
		if target.Bits() == 32 && math.IsInf(value.Float(), 0) && !math.IsInf(math.Float64frombits(bits), 0) {
			mistyped(target, given)
		}
	default:
		mistyped(target, given)
	}
	return value
}

// Text is the key of large integers.
func mapKey(target reflect.Type, given any) reflect.Value {
	if tag, content := tagOf(given); tag == "$int" && target.Kind() == reflect.String {
		return reflect.ValueOf(content)
	}
	return valueOf(target, given)
}

// The tagged form of a field, an entry or a version: JSON has the type any.
func jsonOfField(field reflect.Value) any {
	if field.Kind() == reflect.Interface && !field.IsNil() {
		return map[string]any{"$json": field.Interface()}
	}
	return jsonOf(field.Interface())
}

// The tagged form of a value.
func jsonOf(given any) any {
	switch v := given.(type) {
	case nil, bool, string:
		return v
	case time.Time:
		return map[string]any{"$time": v.UnixMilli()}
	case []byte:
		if v == nil {
			return nil
		}
		return map[string]any{"$bytes": hex.EncodeToString(v)}
	case *big.Int:
		if v == nil {
			return nil
		}
		return map[string]any{"$int": v.String()}
	case proto.Message:
		if !v.ProtoReflect().IsValid() {
			return nil
		}
		raw, err := proto.MarshalOptions{Deterministic: true}.Marshal(v)
		must(err)
		return map[string]any{"$message": hex.EncodeToString(raw)}
	}
	value := reflect.ValueOf(given)
	switch {
	case value.Kind() == reflect.Pointer && value.IsNil():
		return nil
	case value.Kind() == reflect.Pointer:
		return jsonOf(value.Elem().Interface())
	case value.CanInt() || value.CanUint():
		return map[string]any{"$int": fmt.Sprint(given)}
	case value.CanFloat():
		return map[string]any{"$float": fmt.Sprintf("%016x", math.Float64bits(value.Float()))}
	case value.Kind() == reflect.Map:
		pairs := []any{}
		for _, key := range value.MapKeys() {
			pairs = append(pairs, []any{jsonOf(key.Interface()), jsonOfField(value.MapIndex(key))})
		}
		return map[string]any{"$map": pairs}
	}
	versions := []any{}
	for i := range value.Len() {
		each := value.Index(i)
		pair := []any{jsonOf(each.Field(0).Interface()), jsonOfField(each.Field(1))}
		versions = append(versions, map[string]any{"$version": pair})
	}
	return versions
}

func fieldsOf(given reflect.Value) map[string]any {
	fields := map[string]any{}
	for i := range given.NumField() {
		fields[given.Type().Field(i).Name] = jsonOfField(given.Field(i))
	}
	return fields
}

func structOf(example any, values map[string]any) reflect.Value {
	value := reflect.New(reflect.TypeOf(example))
	for name, given := range values {
		field := value.Elem().FieldByName(name)
		if !field.IsValid() {
			panic("no field " + name)
		}
		field.Set(valueOf(field.Type(), given))
	}
	return value
}

// Calls a function that returns a value and an error.
func call(function reflect.Value, arguments ...reflect.Value) any {
	results := function.Call(arguments)
	if len(results) > 1 && !results[1].IsNil() {
		panic(results[1].Interface())
	}
	return results[0].Interface()
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func encode(entity api, r request) any {
	key := structOf(entity.key, r.Values).Elem()
	var arguments []reflect.Value
	for i := range key.NumField() {
		arguments = append(arguments, key.Field(i))
	}
	return hex.EncodeToString([]byte(call(reflect.ValueOf(entity.keyOf), arguments...).(string)))
}

func parse(entity api, r request) any {
	key, err := hex.DecodeString(r.Key)
	must(err)
	return fieldsOf(reflect.ValueOf(call(reflect.ValueOf(entity.parse), reflect.ValueOf(string(key)))))
}

func method(value reflect.Value, name string) reflect.Value {
	found := value.MethodByName(name)
	if !found.IsValid() {
		panic(typeError{"no method " + name})
	}
	return found
}

func rangesOf(entity api, r request) bigtable.RowRangeList {
	keys := reflect.ValueOf(entity.keys).Call(nil)[0]
	order := reflect.TypeOf(entity.key)
	for i := range order.NumField() {
		name := order.Field(i).Name
		given, ok := r.Values[name]
		if !ok {
			continue
		}
		tag, content := tagOf(given)
		switch tag {
		case "$startsWith":
			keys = method(keys, name+"StartsWith").Call([]reflect.Value{reflect.ValueOf(content)})[0]
		case "$subdomains":
			keys = method(keys, name+"Subdomains").Call([]reflect.Value{reflect.ValueOf(content)})[0]
		case "$between":
			in := method(keys, name+"In")
			keys = in.Call([]reflect.Value{boundOf(in.Type().In(0), content.([]any))})[0]
		default:
			fix := method(keys, name)
			keys = fix.Call([]reflect.Value{valueOf(fix.Type().In(0), given)})[0]
		}
	}
	return call(keys.MethodByName("Ranges")).(bigtable.RowRangeList)
}

func ranges(entity api, r request) any {
	shown := [][]any{}
	for _, each := range rangesOf(entity, r) {
		// What the client keeps to itself.
		value := reflect.ValueOf(each)
		var end any
		if value.FieldByName("endBound").Int() != 0 {
			end = hex.EncodeToString([]byte(value.FieldByName("end").String()))
		}
		shown = append(shown, []any{hex.EncodeToString([]byte(value.FieldByName("start").String())), end})
	}
	return shown
}

func fromRow(entity api, row bigtable.Row) any {
	found := reflect.ValueOf(call(reflect.ValueOf(entity.fromRow), reflect.ValueOf(row)))
	if found.IsNil() {
		return nil
	}
	shown := fieldsOf(found.Elem())
	if leads := found.MethodByName("EntityKey"); leads.IsValid() {
		shown["row"] = hex.EncodeToString([]byte(call(leads).(string)))
	}
	return shown
}

// A row of cells: family, qualifier and value as hexadecimal, microseconds. An empty value is nil, as
// in the rows of the client.
func read(entity api, r request) any {
	key, _ := hex.DecodeString(r.Key)
	row := bigtable.Row{}
	for _, cell := range r.Cells {
		family := cell[0].(string)
		qualifier, _ := hex.DecodeString(cell[1].(string))
		var value []byte
		if text := cell[2].(string); text != "" {
			value, _ = hex.DecodeString(text)
		}
		row[family] = append(row[family], bigtable.ReadItem{
			Row: string(key), Column: family + ":" + string(qualifier), Value: value,
			Timestamp: bigtable.Timestamp(cell[3].(float64)),
		})
	}
	return fromRow(entity, row)
}

var client *bigtable.Client
var ctx = context.Background()

func tableOf(r request) *bigtable.Table {
	if client == nil {
		var err error
		client, err = bigtable.NewClient(ctx, "p", "instance-1")
		must(err)
	}
	return client.Open(r.Table)
}

func store(entity api, r request) any {
	row := structOf(entity.row, r.Values)
	var options []reflect.Value
	if r.Insert {
		options = append(options, reflect.ValueOf(rows.NewRow()))
	}
	mutation := call(row.MethodByName("ToMutations"), options...).(*bigtable.Mutation)
	key := call(row.MethodByName("RowKey")).(string)
	if r.Table != "" {
		must(tableOf(r).Apply(ctx, key, mutation))
	}
	return hex.EncodeToString([]byte(key))
}

// The cells that a write sets, as family, qualifier, value and microseconds.
func write(entity api, r request) any {
	options := []reflect.Value{reflect.ValueOf(rows.WrittenAt(time.UnixMilli(r.Now)))}
	if r.Insert {
		options = append(options, reflect.ValueOf(rows.NewRow()))
	}
	mutation := call(structOf(entity.row, r.Values).MethodByName("ToMutations"), options...)
	// What the client keeps to itself.
	kept := reflect.ValueOf(mutation).Elem().FieldByName("ops")
	shown := [][]any{}
	for _, each := range *(*[]*bigtablepb.Mutation)(kept.Addr().UnsafePointer()) {
		cell := each.GetSetCell()
		if cell == nil {
			panic(fmt.Sprintf("%v sets no cell", each))
		}
		shown = append(shown, []any{
			cell.FamilyName, hex.EncodeToString(cell.ColumnQualifier), hex.EncodeToString(cell.Value), cell.TimestampMicros,
		})
	}
	return shown
}

func count(entity api, r request) any {
	key := encode(entity, r)
	raw, _ := hex.DecodeString(key.(string))
	if r.Additions != nil {
		mutation := call(structOf(entity.additions, r.Additions).MethodByName("Mutation"))
		must(tableOf(r).Apply(ctx, string(raw), mutation.(*bigtable.Mutation)))
	}
	if r.Increments != nil {
		rule := call(structOf(entity.increments, r.Increments).MethodByName("ReadModifyWrite"))
		_, err := tableOf(r).ApplyReadModifyWrite(ctx, string(raw), rule.(*bigtable.ReadModifyWrite))
		must(err)
	}
	return nil
}

// The rows of a range.
func fetch(entity api, r request) any {
	found := []any{}
	must(tableOf(r).ReadRows(ctx, rangesOf(entity, r), func(row bigtable.Row) bool {
		if shown := fromRow(entity, row); shown != nil {
			found = append(found, shown)
		}
		return true
	}))
	return found
}

var operations = map[string]func(api, request) any{
	"encode": encode, "parse": parse, "ranges": ranges, "read": read,
	"write": write, "store": store, "count": count, "fetch": fetch,
}

func answer(r request) (answer map[string]any) {
	defer func() {
		switch failure := recover().(type) {
		case nil:
		case typeError:
			answer = map[string]any{"types": true}
		case error:
			var refused *rows.Error
			if !errors.As(failure, &refused) {
				answer = map[string]any{"failure": failure.Error()}
				return
			}
			shown := map[string]any{"code": refused.Code, "property": refused.Property, "problem": refused.Problem, "fix": refused.Fix}
			if refused.Property == "" {
				shown["property"] = nil
			}
			answer = map[string]any{"error": shown}
		default:
			answer = map[string]any{"failure": fmt.Sprint(failure)}
		}
	}()
	entity, ok := entities[r.Entity]
	if !ok {
		return map[string]any{"failure": "no entity " + r.Entity}
	}
	return map[string]any{"ok": operations[r.Op](entity, r)}
}

func main() {
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var requests []request
		must(json.Unmarshal(line, &requests))
		answers := []map[string]any{}
		for _, each := range requests {
			answers = append(answers, answer(each))
		}
		text, err := json.Marshal(answers)
		must(err)
		fmt.Println(string(text))
	}
}

// Ends of a bound as [value, inclusive], or null.
func boundOf(target reflect.Type, ends []any) reflect.Value {
	if pointer, ok := boundMakers[target]; ok {
		return pointer(ends)
	}
	panic("no bound of " + target.String())
}

// Bounds are made by generic functions, which reflection cannot name.
var boundMakers = map[reflect.Type]func([]any) reflect.Value{}

func register[T any]() {
	target := reflect.TypeFor[T]()
	boundMakers[reflect.TypeFor[rows.Bound[T]]()] = func(ends []any) reflect.Value {
		end := func(i int) (T, bool) {
			pair := ends[i].([]any)
			return valueOf(target, pair[0]).Interface().(T), pair[1].(bool)
		}
		return reflect.ValueOf(boundWith(ends[0] != nil, ends[1] != nil, end))
	}
}

func boundWith[T any](hasLow, hasHigh bool, end func(int) (T, bool)) (bound rows.Bound[T]) {
	if hasLow {
		if low, inclusive := end(0); inclusive {
			bound = rows.AtLeast(low)
		} else {
			bound = rows.MoreThan(low)
		}
	}
	if hasHigh {
		if high, inclusive := end(1); inclusive {
			bound = bound.And(rows.AtMost(high))
		} else {
			bound = bound.And(rows.LessThan(high))
		}
	}
	return bound
}

func init() {
	register[string]()
	register[*string]()
	register[int64]()
	register[*int64]()
	register[uint64]()
	register[*uint64]()
	register[float64]()
	register[*float64]()
	register[bool]()
	register[*bool]()
	register[time.Time]()
	register[*time.Time]()
	register[[]byte]()
	register[*big.Int]()
}
