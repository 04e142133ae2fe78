package session

import (
	"fmt"
	"testing"
)

// A statement that is used again and again stays, however many come once.
func TestKeep(t *testing.T) {
	all, hot := statements{}, &made{text: "hot"}
	all.keep(hot, []byte("shape"), []byte("hot"))
	for n := range 10 * maxStatements {
		once := fmt.Sprint(n)
		all.keep(&made{text: once}, []byte(once))
		if n%1000 == 0 && (all.find([]byte("hot")) != hot || all.find([]byte("shape")) != hot) {
			t.Fatal("forgotten after", n)
		}
	}
	if n := len(all.young) + len(all.old); n > maxStatements+1 || all.find([]byte("0")) != nil {
		t.Error("too many are kept:", n)
	}
	if all.forget([]byte("s")); all.find([]byte("shape")) != nil || all.find([]byte("hot")) != hot {
		t.Error("others were forgotten")
	}
}
