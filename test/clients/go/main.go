// Google's Go client against the server that BIGTABLE_EMULATOR_HOST names: prints a line of JSON for
// each check. The harness (../clients.ts) restarts the server when a check asks for it.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const (
	project  = "p"
	instance = "go"
)

type env struct {
	ctx   context.Context
	data  *bigtable.Client
	admin *bigtable.AdminClient
	stdin *bufio.Reader
}

type check struct {
	name string
	run  func(*env) error
}

// A check that this server gives no occasion for.
var errNotRun = errors.New("not run")

func main() {
	ctx := context.Background()
	data, err := bigtable.NewClient(ctx, project, instance)
	must(err)
	admin, err := bigtable.NewAdminClient(ctx, project, instance)
	must(err)
	e := &env{data: data, admin: admin, stdin: bufio.NewReader(os.Stdin)}
	// The last one ends Google's emulator.
	checks := append(append(tableChecks, dataChecks...), check{"reflection", reflection}, check{"backups", backups})
	for _, c := range checks {
		limited, cancel := context.WithTimeout(ctx, 60*time.Second)
		e.ctx = limited
		started := time.Now()
		err := c.run(e)
		cancel()
		print(map[string]any{
			"check": c.name, "ok": err == nil, "detail": detail(err), "ms": time.Since(started).Milliseconds(),
		})
	}
	must(data.Close())
	must(admin.Close())
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func print(line any) {
	text, err := json.Marshal(line)
	must(err)
	fmt.Println(string(text))
}

// detail is the status of a failed call, or what a check found instead of what it expected.
func detail(err error) string {
	if err == nil {
		return ""
	}
	if code := codeOf(err); code != codes.Unknown {
		return fmt.Sprintf("%s: %s", name(code), err)
	}
	return err.Error()
}

func codeOf(err error) codes.Code {
	if errors.Is(err, context.DeadlineExceeded) {
		return codes.DeadlineExceeded
	}
	return status.Code(err)
}

func name(code codes.Code) string {
	var words strings.Builder
	for i, letter := range code.String() {
		if i > 0 && letter >= 'A' && letter <= 'Z' {
			words.WriteByte('_')
		}
		words.WriteRune(letter)
	}
	return strings.ToUpper(words.String())
}

// restart asks the harness to end the server and to start it again with its data.
func (e *env) restart() error {
	print(map[string]string{"ask": "restart"})
	answer, err := e.stdin.ReadString('\n')
	if err == nil && strings.TrimSpace(answer) == "no" {
		return errNotRun
	}
	return err
}

func equal(what string, got, expected any) error {
	if shown, wanted := fmt.Sprint(got), fmt.Sprint(expected); shown != wanted {
		return fmt.Errorf("%s: %s instead of %s", what, shown, wanted)
	}
	return nil
}

func fails(what string, err error, code codes.Code) error {
	return equal(what, name(codeOf(err)), name(code))
}

// The first error.
func all(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// table creates a table with families.
func (e *env) table(id string, families ...string) (*bigtable.Table, error) {
	conf := bigtable.TableConf{TableID: id, ColumnFamilies: map[string]bigtable.Family{}}
	for _, family := range families {
		conf.ColumnFamilies[family] = bigtable.Family{}
	}
	return e.data.Open(id), e.admin.CreateTableFromConf(e.ctx, &conf)
}

func (e *env) set(table bigtable.TableAPI, key, family, column string, micros int, value string) error {
	m := bigtable.NewMutation()
	m.Set(family, column, bigtable.Timestamp(micros), []byte(value))
	return table.Apply(e.ctx, key, m)
}

// read shows rows as `key family:column@timestamp=value ...`, separated by ` | `.
func (e *env) read(table bigtable.TableAPI, rows bigtable.RowSet, options ...bigtable.ReadOption) (string, error) {
	var shown []string
	err := table.ReadRows(e.ctx, rows, func(row bigtable.Row) bool {
		shown = append(shown, show(row))
		return true
	}, options...)
	return strings.Join(shown, " | "), err
}

func show(row bigtable.Row) string {
	shown := row.Key()
	for _, family := range []string{"a", "b", "c"} {
		for _, cell := range row[family] {
			shown += fmt.Sprintf(" %s@%d=%s", cell.Column, cell.Timestamp, cell.Value)
			for _, label := range cell.Labels {
				shown += "#" + label
			}
		}
	}
	return shown
}

// reads expects rows to be shown like that.
func (e *env) reads(what string, table bigtable.TableAPI, expected string, rows bigtable.RowSet,
	options ...bigtable.ReadOption) error {
	got, err := e.read(table, rows, options...)
	return all(err, equal(what, got, expected))
}
