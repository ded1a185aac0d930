// Serves the newest reading of a device as JSON: GET /readings/{device}/newest.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"time"

	"cloud.google.com/go/bigtable"

	"plant/generated/go/rows"
)

func main() {
	client, err := bigtable.NewClient(context.Background(), "demo", "plant")
	if err != nil {
		log.Fatal(err)
	}
	readings := client.Open("readings")
	http.HandleFunc("GET /readings/{device}/newest", func(w http.ResponseWriter, r *http.Request) {
		found, err := newest(r.Context(), readings, r.PathValue("device"))
		switch {
		case err != nil:
			http.Error(w, err.Error(), http.StatusInternalServerError)
		case found == nil:
			http.Error(w, "no reading", http.StatusNotFound)
		default:
			w.Header().Set("Content-Type", "application/json")
			json.NewEncoder(w).Encode(map[string]any{
				"device": found.Device, "at": found.At.Format(time.RFC3339), "temperature": found.Temperature,
			})
		}
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening at http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, nil))
}

// The first row of a device, because the newest is the first: nil if there is none.
func newest(ctx context.Context, table *bigtable.Table, device string) (*rows.Reading, error) {
	ranges, err := rows.ReadingKeys().Device(device).Ranges()
	if err != nil {
		return nil, err
	}
	var found *rows.Reading
	var refused error
	err = table.ReadRows(ctx, ranges, func(row bigtable.Row) bool {
		found, refused = rows.ReadingFromRow(row)
		return refused == nil
	}, bigtable.LimitRows(1))
	if err == nil {
		err = refused
	}
	return found, err
}
