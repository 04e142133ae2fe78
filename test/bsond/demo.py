"""What a program that was written for MongoDB does, as it prints it; the argument is the address."""
import sys

import pymongo

db = pymongo.MongoClient(sys.argv[1]).shop
db.client.drop_database("shop")


def show(line):
    print(f">>> {line}")
    result = eval(line)
    if result is not None:
        print(result)


show("db.item.insert_many([{'_id': 1, 'name': 'pen', 'price': 2.5}, {'_id': 2, 'name': 'lamp', 'price': 40}]).inserted_ids")
show("db.item.create_index('price')")
show("list(db.item.find({'price': {'$lt': 10}}))")
show("db.item.update_one({'_id': 1}, {'$inc': {'stock': 5}}).modified_count")
show("list(db.item.aggregate([{'$group': {'_id': None, 'mean': {'$avg': '$price'}}}]))")
