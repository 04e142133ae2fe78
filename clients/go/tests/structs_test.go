package pgbson_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"testing"
	"testing/quick"
	"time"

	"bson.example/pgbson"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"go.mongodb.org/mongo-driver/v2/bson"
)

type status string
type level int

// Methods that mongo-driver asks: of a value, and of a pointer
type loud struct{ Text string }

func (l loud) MarshalBSONValue() (byte, []byte, error) {
	kind, data, err := bson.MarshalValue(strings.ToUpper(l.Text))
	return byte(kind), data, err
}

type quiet struct{ Text string }

func (q *quiet) MarshalBSON() ([]byte, error) {
	if q == nil {
		q = &quiet{"nil"}
	}
	return bson.Marshal(bson.D{{Key: "quiet", Value: q.Text}})
}

type never struct{ A int }

func (never) IsZero() bool { return true }

type inner struct {
	A int
	B *string
}
type tree struct {
	Name     string
	Children []tree
	Next     *tree
	Links    []*tree
}
type plainFields struct {
	S       string
	Status  status
	Level   level
	I       int
	I8      int8
	I16     int16
	I32     int32
	I64     int64
	U       uint
	U8      uint8
	U32     uint32
	F32     float32
	F64     float64
	B       bool
	P       *int
	PP      **string
	L       []string
	LL      [][]int
	Bytes   []byte
	Array   [3]int8
	Inner   inner
	Pointer *inner
	Many    []inner
	Map     map[string]int
	Deep    map[string][]inner
	ID      bson.ObjectID
	IDs     []bson.ObjectID
	At      bson.DateTime
}
type tagged struct {
	ID    int            `bson:"_id"`
	Empty string         `bson:",omitempty"`
	List  []int          `bson:"list,omitempty"`
	Map   map[string]int `bson:"m,omitempty"`
	P     *inner         `bson:"p,omitempty"`
	Skip  int            `bson:"-"`
	Dash  int            `bson:"-,"`
	JSON  int            `json:"other"`
	Upper int            `bson:"UPPER,truncate"`
	Array [2]int         `bson:",omitempty"`
}
type small struct {
	N int64 `bson:"n,minsize"`
	S string
}
type embedding struct {
	inner
	Loud  loud
	Quiet quiet
	Ptr   *quiet
	List  []quiet
}
type Embedded struct{ A int }
type inlining struct {
	Embedded `bson:",inline"`
	B        int
	Rest     map[string]int `bson:",inline"`
}
type zeroes struct {
	Never  never     `bson:",omitempty"`
	Time   time.Time `bson:",omitempty"`
	Any    any       `bson:",omitempty"`
	Struct inner     `bson:",omitempty"`
}
type anything struct {
	Any   any
	Error fmt.Stringer
	Raw   json.RawMessage
	Time  time.Time
	Exact bson.Decimal128
	D     bson.D
	M     bson.M
	A     bson.A
	Many  []any
	Doc   pgbson.Document[inner]
	Regex bson.Regex
	value int
}
type twice struct {
	A int
	B int `bson:"a"`
}

// A struct is what mongo-driver makes of it
func TestStructs(t *testing.T) {
	types := connect(t, pgx.QueryExecModeCacheStatement).TypeMap()
	element, _ := types.TypeForName("bson")
	text, now := "text", time.Now()
	id, exact := bson.NewObjectID(), bson.NewDecimal128(1, 2)
	values := []any{tagged{}, tagged{Empty: "x", List: []int{1}, Map: map[string]int{"a": 1}, P: &inner{}, Array: [2]int{0, 1}}, small{N: 5}, small{N: 1 << 40, S: "é\x00"}, embedding{Loud: loud{"x"}, Quiet: quiet{"y"}, Ptr: &quiet{"z"}, List: []quiet{{"w"}}},
		&embedding{inner: inner{A: 1, B: &text}, Quiet: quiet{"y"}, List: []quiet{{"w"}}}, inlining{Embedded{1}, 2, map[string]int{"c": 3}}, zeroes{}, zeroes{never{1}, now, 0, inner{}}, &zeroes{Any: &text},
		anything{}, &anything{Any: inner{A: 1}, Error: now, Time: now, Exact: exact, D: bson.D{{Key: "a", Value: id}}, M: bson.M{"b": 1}, A: bson.A{1, "x"}, Many: []any{nil, 1, quiet{"x"}}, Regex: bson.Regex{Pattern: "a"}, value: 1},
		twice{}, tree{Name: "a", Children: []tree{{Name: "b"}, {}}, Next: &tree{Name: "c"}, Links: []*tree{nil, {Name: "d"}}}, struct{}{}, struct{ F func() }{}, struct{ C complex128 }{1}, loud{"x"}, &loud{"x"}, quiet{"x"}, &quiet{"x"}, struct{ U uint64 }{1 << 63}}
	values = append(values, reflect.New(reflect.StructOf([]reflect.StructField{{Name: "Old", Type: reflect.TypeOf(0), Tag: "other"}})).Elem().Interface())
	random := rand.New(rand.NewSource(1))
	for i := 0; i < 300; i++ {
		value, _ := quick.Value(reflect.TypeOf(plainFields{}), random)
		values = append(values, value.Interface(), reflect.New(value.Type()).Interface())
	}
	for _, value := range values {
		var want []byte
		kind, data, wantErr := bson.MarshalValue(value)
		if wantErr == nil && kind == bson.TypeEmbeddedDocument {
			want = data
		}
		got, err := types.Encode(element.OID, pgtype.BinaryFormatCode, value, []byte("before"))
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%T: %v, mongo-driver: %v", value, err, wantErr)
		}
		// mongo-driver 2.0.0 damages a document behind a field that encodes itself
		if err != nil || want == nil || bson.Raw(want).Validate() != nil {
			continue
		}
		// the order of a map's keys is any
		same := bytes.Equal(got, append([]byte("before"), want...))
		if strings.Contains(fmt.Sprintf("%T", value), "plainFields") && !same {
			var a, b bson.M
			check(t, bson.Unmarshal(got[6:], &a))
			check(t, bson.Unmarshal(want, &b))
			same = len(got) == len(want)+6 && reflect.DeepEqual(a, b)
		}
		if !same {
			t.Fatalf("%T %+v:\n%x\n%x", value, value, got[6:], want)
		}
	}
	// a pointer that is nil is NULL, a struct that holds a Document is not one
	if got, err := types.Encode(element.OID, pgtype.BinaryFormatCode, (*tree)(nil), nil); got != nil || err != nil {
		t.Fatal(got, err)
	}
	if got, err := types.Encode(element.OID, pgtype.BinaryFormatCode, pgbson.Of(inner{A: 1}), nil); err != nil || !bytes.Contains(got, []byte("\x10a\x00\x01\x00\x00\x00")) || bytes.Contains(got, []byte("valid")) {
		t.Fatal(got, err)
	}
}
