//! Questions over several tables, without a language model.

use crate::world::World;
use serde_json::Value;

fn shop() -> World {
    let world = World::new();
    world.write(
        "shop/orders.csv",
        "order_no,date,product_id,customer,quantity\n\
         1001,2024-01-03,P1,C2,2\n1002,2024-01-09,P2,C1,1\n1003,2024-02-11,P1,C3,4\n\
         1004,2024-02-20,P3,C2,10\n1005,2024-03-02,P2,C2,1\n1006,2024-03-05,P4,C1,3\n",
    );
    world.write(
        "shop/products.csv",
        "product_id,name,category,price\nP1,Kettle,Kitchen,30\nP2,Desk lamp,Lighting,120\n\
         P3,Napkins,Kitchen,4.5\nP4,Office chair,Furniture,80\n",
    );
    world.write(
        "shop/customers.csv",
        "code,name,city\nC1,Anna Berg,Oslo\nC2,Tom Hill,Leeds\nC3,Marta Rossi,Turin\n",
    );
    world.json(0, &["add", "shop"]);
    world
}

fn values(answer: &Value) -> Vec<&str> {
    answer["values"].as_array().unwrap().iter().map(|v| v.as_str().unwrap()).collect()
}

#[test]
fn columns_that_name_rows_of_other_tables_are_found_and_can_be_corrected() {
    let world = shop();
    let ways = |found: &Value| -> Vec<String> {
        let keys = found["relations"].as_array().unwrap();
        keys.iter()
            .map(|k| format!("{}.{} {}", k["table"], k["column"], k["to_table"]).replace('"', ""))
            .collect()
    };
    let found = world.json(0, &["tables", "--relations"]);
    assert_eq!(ways(&found), ["orders.customer customers", "orders.product_id products"]);
    let none = world.json(0, &["relate", "orders.customer", "--none"]);
    assert_eq!(ways(&none), ["orders.product_id products"]);
    let again = world.json(0, &["relate", "orders.customer", "customers.code"]);
    assert_eq!(ways(&again), ["orders.product_id products", "orders.customer customers"]);
    let refused = world.run(&["relate", "orders.customer", "orders.quantity"]);
    assert_eq!(refused.code(), 2, "{}", refused.stderr());
    assert!(refused.stderr().contains("does not tell the rows"), "{}", refused.stderr());
    assert_eq!(world.run(&["relate", "orders.nothing", "--none"]).code(), 3);
}

#[test]
fn what_is_in_two_files_is_answered_from_both_and_cited_in_both() {
    let world = shop();
    let ask = |question: &str| world.json(0, &["ask", question]);
    let by_city = ask("quantity by city");
    assert_eq!(values(&by_city), ["Leeds", "13", "Oslo", "4", "Turin", "4"], "{by_city}");
    let documents: Vec<&str> =
        by_city["citations"].as_array().unwrap().iter().map(|c| c["document"].as_str().unwrap()).collect();
    assert!(documents.contains(&"orders.csv") && documents.contains(&"customers.csv"), "{documents:?}");
    let city = ask("in which city does the customer of order 1003 live");
    assert_eq!(values(&city), ["Turin"], "{city}");
    let kitchen = ask("average quantity of kitchen products");
    assert_eq!(kitchen["values"][0].as_str().unwrap().parse::<f64>().unwrap().round(), 5.0, "{kitchen}");
}

#[test]
fn quantities_and_prices_of_two_files_come_to_revenue() {
    let world = shop();
    let revenue = world.json(0, &["ask", "revenue by category"]);
    assert_eq!(values(&revenue), ["Furniture", "240", "Kitchen", "225", "Lighting", "240"], "{revenue}");
    assert!(revenue["program"]["words"].as_str().unwrap().contains("quantity × price"), "{revenue}");
}

#[test]
fn relations_follow_the_files() {
    let world = shop();
    world.json(0, &["forget", "customers.csv"]);
    let left = world.json(0, &["tables", "--relations"]);
    assert_eq!(left["relations"].as_array().unwrap().len(), 1, "{left}");
    world.write(
        "shop/customers.csv",
        "code,name,city\nC1,Anna Berg,Oslo\nC2,Tom Hill,Leeds\nC3,Marta Rossi,Turin\n",
    );
    world.json(0, &["add", "shop"]);
    let again = world.json(0, &["tables", "--relations"]);
    assert_eq!(again["relations"].as_array().unwrap().len(), 2, "{again}");
}

#[test]
fn questions_about_related_files_are_answered_rightly_or_not_at_all() {
    let world = World::new();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/related");
    let found = world.json(0, &["eval", "everyday", folder.to_str().unwrap()]);
    let asked = found["questions"]["asked"].as_u64().unwrap();
    let wrong = found["questions"]["wrong"].as_u64().unwrap();
    assert_eq!(asked, 90, "{found}");
    assert!(wrong * 100 <= asked * 3, "{found}");
    assert!(found["questions"]["right_of_answerable"].as_f64().unwrap() >= 0.5, "{found}");
}
