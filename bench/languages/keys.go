// Prints, as JSON, microseconds a key of the generated package and of the same by hand. The keys are
// tenant (text), device (text) and at (milliseconds, newest first). Both ways take turns.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"time"

	"bench/go/rows"
)

const top = 10_000_000_000_000 - 1

type row struct {
	tenant, device string
	at             time.Time
}

func escaped(text string) string {
	for i := range len(text) {
		if text[i] < '\'' {
			log.Fatal("the escapes are not needed here")
		}
	}
	return text
}

func encodeByHand(r row) string {
	digits := strconv.FormatInt(top-r.at.UnixMilli(), 10)
	zeros := "0000000000000"[len(digits):]
	return escaped(r.tenant) + "#" + escaped(r.device) + "#" + zeros + digits
}

func decodeByHand(key string) row {
	parts := strings.Split(key, "#")
	ms, err := strconv.ParseInt(parts[2], 10, 64)
	if err != nil {
		log.Fatal(err)
	}
	return row{parts[0], parts[1], time.UnixMilli(top - ms).UTC()}
}

// Results are kept, so that nothing is left out.
var size int

func main() {
	start := time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC)
	var all []row
	var keys []string
	for n := range 200 {
		r := row{fmt.Sprintf("tenant-%d", n%7), fmt.Sprintf("device-%04d", n%101), start.Add(time.Duration(n) * time.Millisecond)}
		key, err := rows.ReadingKeyOf(r.tenant, r.device, r.at)
		if err != nil {
			log.Fatal(err)
		}
		parsed, err := rows.ParseReadingKey(key)
		if err != nil {
			log.Fatal(err)
		}
		if key != encodeByHand(r) || decodeByHand(key) != r || (row{parsed.Tenant, parsed.Device, parsed.At}) != r {
			log.Fatal("the ways differ: ", key)
		}
		all, keys = append(all, r), append(keys, key)
	}
	ways := map[string]func(int){
		"encode.generated": func(i int) { key, _ := rows.ReadingKeyOf(all[i].tenant, all[i].device, all[i].at); size += len(key) },
		"encode.hand":      func(i int) { size += len(encodeByHand(all[i])) },
		"decode.generated": func(i int) { key, _ := rows.ParseReadingKey(keys[i]); size += len(key.Tenant) },
		"decode.hand":      func(i int) { size += len(decodeByHand(keys[i]).tenant) },
	}
	measure(ways, all, 100)
	json.NewEncoder(os.Stdout).Encode(measure(ways, all, 1000))
}

func measure(ways map[string]func(int), all []row, rounds int) map[string][]float64 {
	found := map[string][]float64{}
	for range rounds {
		for name, way := range ways {
			started := time.Now()
			for i := range all {
				way(i)
			}
			micros := float64(time.Since(started).Nanoseconds()) / 1000
			found[name] = append(found[name], micros/float64(len(all)))
		}
	}
	return found
}
