import mollify as mo
import polars as pl

pupils = pl.read_csv("data/schools.csv")         # private: thousands of pupils of 160 schools
roster = pl.read_csv("data/schools_roster.csv")  # public
domain = mo.Domain({"sex": mo.categorical(["female", "male"]), "minority": mo.boolean(),
                    "math": mo.number(-3, 25, bins=3)})
release = mo.sample(pupils, domain, model="local", unit="school", units=roster, epsilon=2)
print(pl.DataFrame(release).head(3))
release.certificate.write("build/schools.json")
print(mo.verify("build/schools.json", domain).holds)
