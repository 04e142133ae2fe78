module example

go 1.21

require (
	github.com/jackc/pgx/v5 v5.7.2
	go.mongodb.org/mongo-driver/v2 v2.0.0
)
