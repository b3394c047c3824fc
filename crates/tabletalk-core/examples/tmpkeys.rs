use std::time::Instant;
fn main() {
    for text in ["Customer 171269", "standard gift wrap", "北京市东城区", "1,200", "166.02", "2023-03-22", "Sept 1, 2023", "ORD-00000001", "march hare", "35%"] {
        let t = Instant::now();
        let mut n = 0;
        for _ in 0..1_000_000 { n += tabletalk_core::value::keys(std::hint::black_box(text)).len(); }
        println!("{text}: {:.0} ns ({n})", t.elapsed().as_nanos() as f64 / 1e6);
    }
    let q = "which cities sold over $1.2 million in September 2023, or 35% more than in 2022?";
    let t = Instant::now();
    for _ in 0..100_000 { std::hint::black_box(tabletalk_core::value::find_keys(std::hint::black_box(q))); }
    println!("find_keys {:.0} ns", t.elapsed().as_nanos() as f64 / 1e5);
}
