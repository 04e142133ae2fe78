package session

import (
	"strings"
	"testing"
)

// A name must be the one that bson-copy gives the table, or a restored collection is not found.
func TestShort(t *testing.T) {
	for name, want := range map[string]string{
		"item":                        "item",
		strings.Repeat("a", 63):       strings.Repeat("a", 63),
		strings.Repeat("a", 64):       strings.Repeat("a", 54) + "_014842d4",
		strings.Repeat("ä", 40):       strings.Repeat("ä", 27) + "_0f04dbd6",
		"x" + strings.Repeat("ä", 40): "x" + strings.Repeat("ä", 26) + "_5a42d2c2",
	} {
		if got := Short(name); got != want || len(got) > 63 {
			t.Errorf("Short(%q) is %q, not %q", name, got, want)
		}
	}
}

func TestQuoting(t *testing.T) {
	if got := Quote(`a"b`); got != `"a""b"` {
		t.Errorf("Quote is %s", got)
	}
	if got := Literal(`a'b\c`); got != `E'a''b\\c'` {
		t.Errorf("Literal is %s", got)
	}
}

func TestNames(t *testing.T) {
	for _, name := range []struct {
		db, collection string
		good           bool
	}{
		{"app", "item", true}, {"app", "fs.files", true}, {"App", `a "b"; DROP`, true}, {"app", "system.views", true},
		{"", "x", false}, {"pg_catalog", "x", false}, {"pg_toast", "x", false}, {"information_schema", "tables", false}, {"a b", "x", false},
		{`a"b`, "x", false}, {"a.b", "x", false}, {"app", "", false}, {"app", "$x", false}, {"app", "a\x00b", false}, {"app", "a.", false},
		{"app", ".a", false}, {"app", "\xff", false}, {"app", strings.Repeat("x", 256), false},
	} {
		if err := CheckName(name.db, name.collection); (err == nil) != name.good {
			t.Errorf("CheckName(%q, %q) is %v", name.db, name.collection, err)
		}
	}
}
